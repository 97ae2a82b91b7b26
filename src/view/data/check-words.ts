import type { CheckedData, CheckedDataset, UnjudgedRun } from '../../model/data.js';
import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import { type AgentJudgement, judgementText } from '../../model/run.js';
import { agree, count, environmentFlag, shellWord, some, wordList } from '../../model/words.js';

/** What is said of checked data, before text, Markdown and annotations print it. */

export function verdictCounts({ datasets }: CheckedData) {
  const number = (verdict: CheckedDataset['verdict']) =>
    datasets.filter((each) => each.verdict === verdict).length;
  return { met: number('met'), unmet: number('unmet'), unknown: number('unknown') };
}

/** How many expectations are not met that are errors. */
export function unmetCount(datasets: readonly CheckedDataset[]): number {
  const all = datasets.flatMap(({ expectations }) => expectations);
  return all.filter(({ verdict, level }) => verdict === 'unmet' && level === 'error').length;
}

/** Whether all its expectations have the level `warning`, so that unmet ones only cause a warning. */
export function isWarning({ verdict, expectations }: CheckedDataset): boolean {
  return verdict === 'unmet' && expectations.every(({ level }) => level === 'warning');
}

/** `12 runs checked: 1 unmet, 2 warnings, 1 unknown, 8 met.` */
export function checkSummary(check: CheckedData): string {
  const { datasets } = check;
  if (datasets.length === 0)
    return 'Nothing was checked: no entry with `expect` has a run that one of its schedules started.';
  const { met, unmet, unknown } = verdictCounts(check);
  const warned = datasets.filter(isWarning).length;
  const parts = [
    ...(unmet === warned ? [] : [`${unmet - warned} unmet`]),
    ...(warned === 0 ? [] : [count(warned, 'warning')]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(met === 0 ? [] : [`${met} met`]),
  ];
  return `${count(datasets.length, 'run')} checked: ${parts.join(', ')}.`;
}

/** A finding about a run: one expectation that is not met, or all that are unmet or unknown for the same reason. */
export interface OpenFinding {
  readonly verdict: AgentJudgement['verdict'];
  readonly level: AgentJudgement['level'];
  /** `records.min`, `finish` */
  readonly properties: readonly string[];
  /** Whether it is about several expectations that share their cause. */
  readonly isShared: boolean;
  /** `expected at least 800 records, got 12: 788 too few`, or the cause of several. */
  readonly message: string;
  /** Where it is expected, each line once. */
  readonly places: readonly Place[];
  /** The target that expects it; null if the entry does, or several do. */
  readonly from: AgentJudgement['from'];
  /** The command that shows it; null where there is nothing to see. */
  readonly command: string | null;
}

/** Expectations that are not met, the unmet ones first. Those with the same cause are one finding. */
export function openFindings(
  dataset: CheckedDataset,
  environment: CheckedData['environment'],
): readonly OpenFinding[] {
  const open = dataset.expectations.filter(({ verdict }) => verdict !== 'met');
  const groups = groupBy(open, (each) => JSON.stringify([each.verdict, each.cause ?? each.property]));
  const found = [...groups.values()].map((alike) => findingOf(alike, dataset, environment));
  const unmet = found.filter(({ verdict }) => verdict === 'unmet');
  return [...unmet, ...found.filter(({ verdict }) => verdict === 'unknown')];
}

function findingOf(
  alike: readonly AgentJudgement[],
  dataset: CheckedDataset,
  environment: CheckedData['environment'],
): OpenFinding {
  const [first, ...others] = alike;
  if (first === undefined) throw new Error('a group of judgements is empty');
  const { verdict, level, message, cause } = first;
  const isShared = others.length > 0 && cause !== null;
  const places = alike.flatMap(({ place }) => place ?? []);
  return {
    verdict,
    level,
    properties: alike.map(({ property }) => property),
    isShared,
    message: isShared ? cause : message,
    places: places.filter((each, index) => places.findIndex(isOnLineOf(each)) === index),
    from: others.every(({ from }) => from === first.from) ? first.from : null,
    command: commandFor(dataset, first, environment),
  };
}

function isOnLineOf({ file, line }: Place): (other: Place) => boolean {
  return (other) => other.file === file && other.line === line;
}

/** Without other words: which properties share a cause, or what was expected of one of them. */
function findingText({ properties, isShared, message }: OpenFinding): string {
  return isShared ? `${wordList(properties, 'and')}: ${message}` : message;
}

/** Lines of a manifest that are named of one finding. */
const MOST_PLACES = 3;

/** `teams/shops.yaml:7, from group/shops`: where to change what is expected. Empty where it is not known. */
export function originText({ places, from }: OpenFinding): string {
  const lines = places.map(({ file, line }) => `${file}:${line}`);
  if (lines.length === 0) return '';
  return `${some(lines, MOST_PLACES)}${from === null ? '' : `, from ${from}`}`;
}

/** The command that shows the rows, or else the run; null where there is nothing to see. */
export function commandFor(
  { datasetId, jobId, state }: CheckedDataset,
  { property, condition, verdict }: AgentJudgement,
  environment: CheckedData['environment'],
): string | null {
  const command = (words: string) => `roster ${words}${environmentFlag(environment)}`;
  // Of a run that failed, its record says why.
  if (verdict === 'unknown' && jobId !== null && state !== 'succeeded') return command(`runs show ${jobId}`);
  if (verdict !== 'unmet') return null;
  if (datasetId !== null && condition !== null)
    return command(`data query ${datasetId} --where ${shellWord(condition)}`);
  const isOfRun = property === 'finish' || property.startsWith('records.');
  return command(isOfRun || datasetId === null ? `runs show ${jobId}` : `data preview ${datasetId}`);
}

/** `Not judged by this command: empty and rows. To judge them, run: roster data check 3f2a`: for `run` and `wait`. */
export function unjudgedText(
  unjudged: readonly UnjudgedRun[],
  environment: CheckedData['environment'],
): string | null {
  if (unjudged.length === 0) return null;
  const properties = [...new Set(unjudged.flatMap((each) => each.properties))];
  const command = `roster data check ${unjudged.map(({ id }) => id).join(' ')}${environmentFlag(environment)}`;
  return `Not judged by this command: ${wordList(properties, 'and')}. To judge ${agree(properties.length, 'it', 'them')}, run: ${command}`;
}

/** What is not met, as diagnostics at the line of the manifest that expects it. */
export function checkFindings({ environment, datasets }: CheckedData): readonly Diagnostic[] {
  return datasets.flatMap((dataset) =>
    openFindings(dataset, environment).map((finding): Diagnostic => {
      const { verdict, level, places, from, command } = finding;
      const isUnmet = verdict === 'unmet';
      const help = [...(command === null ? [] : [`\`${command}\` shows it.`]), ...dataset.changed].join(' ');
      const found: Diagnostic = {
        severity: isUnmet && level === 'error' ? 'error' : 'warning',
        code: isUnmet ? 'unmet-expectation' : 'unknown-expectation',
        message: `${dataset.agent} of ${dataset.address}: ${judgementText({ message: findingText(finding), from })}`,
        address: dataset.address,
      };
      const [place] = places;
      const placed = place === undefined ? found : { ...found, place };
      return help === '' ? placed : { ...placed, help };
    }),
  );
}
