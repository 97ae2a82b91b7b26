import { withReadSession } from '../../engine/session.js';
import type { CheckedDataset } from '../../model/data.js';
import { problem } from '../../model/diagnostic.js';
import { environmentFlag } from '../../model/words.js';
import { checkData } from '../../operate/expect/check.js';
import { diagnosticsGithub } from '../../view/ci/github.js';
import { dataCheckJunit } from '../../view/ci/junit.js';
import { checkMarkdown, checkText } from '../../view/data/check-text.js';
import { checkFindings } from '../../view/data/check-words.js';
import { dataCheckJson } from '../../view/data/data-json.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import type { Implementation } from '../command/command.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { sessionOptions } from '../command/flags.js';
import type { dataCheckCommand } from '../commands/data.js';
import { fromRepositoryRoot, sourceLinks } from '../host/repository.js';

/** `roster data check`: exit code 5 when something is not as expected, and 1 when something cannot be read. */
export const runDataCheck: Implementation<typeof dataCheckCommand> = async (names, flags, context) => {
  const { since } = flags;
  const failOn = chooseVerdicts(flags.failOn);
  const urlOf = sourceLinks({}, context.host);
  const { redactor } = context.output;
  const found = redactor.value(
    await withReadSession(sessionOptions(flags, context, 'settings'), (session) =>
      checkData(session, names, { since }),
    ),
  );
  const { diagnostics, datasets } = found;
  const failed = exitCodeFor(diagnostics);
  const isBad = datasets.some((each) => isIn(failOn, each));
  return {
    exit: failed === exitCode.fine && isBad ? exitCode.failed : failed,
    diagnostics,
    render: {
      text: (style) => checkText(found, style),
      json: () => jsonText(dataCheckJson(found)),
      junit: () => dataCheckJunit(found, failOn),
      markdown: () => checkMarkdown(found, { urlOf, measure: (text) => redactor.text(text).length }),
      github: () => {
        const all = [...diagnostics, ...checkFindings(found)];
        return diagnosticsGithub(
          fromRepositoryRoot(all, context.host),
          `\`roster data check${environmentFlag(found.environment)}\` shows all of them`,
        );
      },
    },
  };
};

type DataVerdict = CheckedDataset['verdict'];

/** What is expected at the level of a warning changes no exit code. */
function isIn(failOn: readonly DataVerdict[], { expectations }: CheckedDataset): boolean {
  return expectations.some(({ verdict, level }) => level === 'error' && failOn.includes(verdict));
}

/** `--fail-on unmet,unknown`. */
function chooseVerdicts(text = 'unmet'): readonly DataVerdict[] {
  return text.split(',').map((each) => {
    const word = each.trim();
    if (word === 'unmet' || word === 'unknown') return word;
    throw problem('usage', `--fail-on: there is no verdict "${word}"`, 'Use any of: unmet, unknown.');
  });
}
