import { withReadSession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import { type Health, healths } from '../model/run.js';
import { status } from '../operate/status/status.js';
import { statusJunit } from '../view/ci/junit.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { statusJson } from '../view/json/runs-json.js';
import { statusMarkdown } from '../view/markdown/status-markdown.js';
import { statusText } from '../view/text/status-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { exitCode, exitCodeFor } from './command/exit.js';
import { chosenSelection, sessionOptions, wantsFormat } from './command/flags.js';
import type { statusCommand } from './commands/watch.js';

type StatusFlags = FlagsOf<typeof statusCommand>;

/**
 * `roster status`: how everything declared is doing. With `--check`, exit code 5 when anything is as bad as `--fail-on`
 * says, and 1 when that cannot be known because something could not be read or matched.
 */
export const runStatus: Implementation<typeof statusCommand> = async (addresses, flags, context) => {
  const { since, check = false, allowAccountChange } = flags;
  refuseFlagsWithoutEffect(flags);
  const failOn = chooseHealths(flags.failOn);
  const options = sessionOptions(flags, context, 'settings');
  const found = await withReadSession(options, (session) =>
    status(session, {
      ...chosenSelection(addresses, flags),
      since,
      isCheck: check,
      allowAccountChange,
    }),
  );
  const { redactor } = context.output;
  const shown = redactor.value(found);
  const isBad = found.resources.some(({ health }) => failOn.includes(health));
  const checked = isBad ? exitCode.failed : exitCodeFor(found.diagnostics);
  return {
    exit: check ? checked : exitCode.fine,
    diagnostics: found.diagnostics,
    render: {
      text: (style) => statusText(shown, style),
      json: () => jsonText(statusJson(shown)),
      markdown: ({ verbose }) =>
        statusMarkdown(shown, { verbose, measure: (text) => redactor.text(text).length }),
      junit: () => statusJunit(shown, failOn),
    },
  };
};

/** It decides the exit code of a check, and what JUnit calls a failure. */
function refuseFlagsWithoutEffect(flags: StatusFlags): void {
  if (flags.failOn === undefined || flags.check === true || wantsFormat(flags, 'junit')) return;
  throw problem(
    'usage',
    '`--fail-on` has no effect without `--check`',
    'Add `--check`, or omit `--fail-on`.',
  );
}

/** `--fail-on failing,missed`. */
function chooseHealths(text: string | undefined): readonly Health[] {
  if (text === undefined) return ['failing', 'missed', 'unmet'];
  return text.split(',').map((each) => {
    const found = healths.find((health) => health === each.trim());
    if (found !== undefined) return found;
    throw problem(
      'usage',
      `--fail-on: there is no health "${each.trim()}"`,
      `Use any of: ${healths.join(', ')}.`,
    );
  });
}
