import { problem } from '../../model/diagnostic.js';
import type { ListedState } from '../../operate/run/run-kinds.js';
import { listRuns } from '../../operate/runs/list.js';
import { showRun } from '../../operate/runs/show.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import { runsListJson, shownRunJson } from '../../view/json/runs-json.js';
import { runDetailsText, runsListText } from '../../view/text/runs-text.js';
import type { Implementation } from '../command/command.js';
import { chooseAge, runSessionOptions, wholeNumber } from '../command/flags.js';
import { readShown } from '../command/results.js';
import type { runsCommand, runsShowCommand } from '../commands/runs.js';

/** `roster runs [ADDRESS]`: the newest jobs, group runs and pipeline runs. */
export const runRuns: Implementation<typeof runsCommand> = async (address, flags, context) => {
  const { attention = false, limit } = flags;
  const state = chooseState(flags.state);
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
    limit: limit === undefined ? undefined : wholeNumber(limit, '--limit', 1, 1_000),
  };
  const names = address === undefined ? [] : [address];
  const shown = await readShown(runSessionOptions(names, flags, context), context, (session) =>
    listRuns(session, options),
  );
  return {
    diagnostics: shown.diagnostics,
    render: {
      text: (style) => runsListText(shown, style),
      json: () => jsonText(runsListJson(shown)),
    },
  };
};

const states: readonly ListedState[] = ['active', 'succeeded', 'failed'];

function chooseState(text: string | undefined): ListedState | undefined {
  if (text === undefined) return undefined;
  const shown = states.find((each) => each === text);
  if (shown !== undefined) return shown;
  throw problem('usage', `--state: unknown value "${text}"`, `One of: ${states.join(', ')}.`);
}

/** `roster runs show ID`: one run with its members, reasons and datasets. */
export const runRunsShow: Implementation<typeof runsShowCommand> = async (id, flags, context) => {
  const shown = await readShown(runSessionOptions([], flags, context), context, (session) =>
    showRun(session, id),
  );
  return {
    render: {
      text: (style) => runDetailsText(shown, style),
      json: () => jsonText(shownRunJson(shown)),
    },
  };
};
