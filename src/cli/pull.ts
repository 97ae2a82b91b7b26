import { pull } from '../engine/pull/pull.js';
import { writePulled } from '../engine/pull/write.js';
import { type SessionOptions, withReadSession } from '../engine/session.js';
import { Problem } from '../model/diagnostic.js';
import type { Pulled } from '../model/pull.js';
import { pullExpectations } from '../operate/expect/pull-expect.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { pullJson, pullPatch, pullText } from '../view/text/pull-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { exitCode } from './command/exit.js';
import { outputsOf, sessionOptions, usage } from './command/flags.js';
import type { pullCommand } from './commands/project.js';
import { confirmFiles } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

type PullFlags = FlagsOf<typeof pullCommand>;

/** `roster pull`: manifests for what exists, or the remote values in existing manifests. `--format diff` writes nothing. */
export const runPull: Implementation<typeof pullCommand> = async (addresses, flags, context) => {
  const { out, into, by, write: named } = flags;
  if (out !== undefined && into !== undefined)
    throw new Problem(usage('`--out` cannot be used with `--into`', 'Use one of them.'));
  if (by !== undefined && into !== undefined)
    throw new Problem(usage('`--by` cannot be used with `--into`', 'Use one of them.'));
  // `--out` is a folder here.
  const outputs = outputsOf(named === undefined ? {} : { write: named });
  const options = { ...sessionOptions(flags, context), outputs };
  const found =
    flags.expect === true
      ? await expected(addresses, options, flags)
      : await pulled(addresses, options, flags);
  if (flags.format !== 'diff') await write(found, flags, context);
  const shown = context.output.redactor.value(found);
  const failed = found.diagnostics.some(({ severity }) => severity === 'error');
  return {
    exit: failed ? exitCode.error : exitCode.fine,
    diagnostics: found.diagnostics,
    render: {
      text: () => pullText(shown),
      json: () => jsonText(pullJson(shown)),
      diff: () => pullPatch(shown.files),
    },
  };
};

function pulled(addresses: readonly string[], options: SessionOptions, flags: PullFlags): Promise<Pulled> {
  const { out, into, match, allowAccountChange } = flags;
  const wanted = { addresses, out, into, match, by: chooseSplit(flags), allowAccountChange };
  return withReadSession(options, (session) => pull(session, options, wanted));
}

function expected(addresses: readonly string[], options: SessionOptions, flags: PullFlags): Promise<Pulled> {
  const flag = (['into', 'out', 'match', 'by'] as const).find((name) => flags[name] !== undefined);
  if (flag !== undefined)
    throw new Problem(usage(`\`--${flag}\` cannot be used with \`--expect\``, 'It is for new entries.'));
  const { allowAccountChange } = flags;
  return withReadSession(options, (session) =>
    pullExpectations(session, options, { addresses, allowAccountChange }),
  );
}

function chooseSplit({ by }: PullFlags): 'kind' | 'target' | undefined {
  if (by === undefined || by === 'kind' || by === 'target') return by;
  throw new Problem(usage(`--by: unknown value "${by}"`, 'One of: kind, target.'));
}

/** Remote values are asked for. `include`, and what nobody has declared or changed, is shown first. */
async function write(
  found: Pulled,
  { yes, expect }: PullFlags,
  { host, output }: CommandContext,
): Promise<void> {
  if (expect === true && found.files.length > 0 && yes !== true) {
    output.err(pullPatch(found.files));
    // Also before the question: whom the change concerns matters for the answer.
    output.err(
      found.diagnostics.map((each) => `${escapeControls(`${each.severity}: ${each.message}`)}\n`).join(''),
    );
    await confirmFiles('', 'there is no terminal to ask for confirmation', host);
  }
  if (found.include !== null && yes !== true) {
    const { file, patterns } = found.include;
    const what = `\`include\` in ${file} must list ${patterns.map((each) => `\`${each}\``).join(', ')}`;
    output.err(pullPatch(found.files.filter(({ before }) => before !== null)));
    const refusal = `${what}, and there is no terminal to ask for confirmation`;
    await confirmFiles(`${what}.\n`, refusal, host);
  }
  await writePulled(found);
}
