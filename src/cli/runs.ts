import { withReadSession } from '../engine/session.js';
import { problem } from '../model/diagnostic.js';
import type { ListedState } from '../operate/run/run-kinds.js';
import { listRuns } from '../operate/runs/list.js';
import { jsonText } from '../view/json/json-text.js';
import { runsListJson } from '../view/json/runs-json.js';
import { runsListText } from '../view/text/runs-text.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, chooseAge, runSessionOptions, wholeNumber } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import { checkAddress } from './command/subcommands.js';
import type { CommandContext } from './host/host.js';

export interface RunsFlags extends CommonFlags {
  readonly state?: string;
  readonly attention?: boolean;
  readonly since?: string;
  readonly limit?: string;
}

/** `roster runs [ADDRESS]`: the newest jobs, group runs and pipeline runs. */
export function runsCommand(
  address: string | undefined,
  flags: RunsFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.runs.formats, context, async () => {
    const { attention = false, limit } = flags;
    const state = chooseState(flags.state);
    if (address !== undefined) checkAddress(address, 'runs');
    if (attention && state !== undefined && state !== 'failed')
      throw problem(
        'usage',
        `\`--attention\` lists failures, and \`--state ${state}\` does not`,
        'Omit one of them.',
      );
    const options = {
      address,
      state,
      attention,
      sinceMilliseconds: chooseAge(flags.since, '--since'),
      ...(limit === undefined ? {} : { limit: wholeNumber(limit, '--limit', 1, 1_000) }),
    };
    const names = address === undefined ? [] : [address];
    const found = await withReadSession(runSessionOptions(names, flags, context), (session) =>
      listRuns(session, options),
    );
    const shown = context.output.redactor.value(found);
    return {
      render: {
        text: (style) => runsListText(shown, style),
        json: () => jsonText(runsListJson(shown)),
      },
    };
  });
}

const states: readonly ListedState[] = ['active', 'succeeded', 'failed'];

function chooseState(text: string | undefined): ListedState | undefined {
  if (text === undefined) return undefined;
  const found = states.find((each) => each === text);
  if (found !== undefined) return found;
  throw problem('usage', `--state: unknown value "${text}"`, `One of: ${states.join(', ')}.`);
}
