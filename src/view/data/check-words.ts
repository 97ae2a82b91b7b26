import type { CheckedDataset, DataCheck } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type AgentJudgement, judgementText } from '../../model/run.js';
import { count, shellWord } from '../../model/words.js';

/** What is said of checked data, before text, Markdown and annotations print it. */

export function verdictCounts({ datasets }: Pick<DataCheck, 'datasets'>) {
  const number = (verdict: CheckedDataset['verdict']) =>
    datasets.filter((each) => each.verdict === verdict).length;
  return { met: number('met'), unmet: number('unmet'), unknown: number('unknown') };
}

/** How many expectations are not met that are errors. */
export function unmetCount(datasets: readonly CheckedDataset[]): number {
  const all = datasets.flatMap(({ expectations }) => expectations);
  return all.filter(({ verdict, level }) => verdict === 'unmet' && level === 'error').length;
}

/** `12 runs checked: 1 unmet, 1 unknown, 10 met` */
export function checkSummary(check: Pick<DataCheck, 'datasets'>): string {
  const { datasets } = check;
  if (datasets.length === 0)
    return 'Nothing was checked: no entry with `expect` has a run that one of its schedules started.';
  const { met, unmet, unknown } = verdictCounts(check);
  const parts = [
    ...(unmet === 0 ? [] : [`${unmet} unmet`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(met === 0 ? [] : [`${met} met`]),
  ];
  return `${count(datasets.length, 'run')} checked: ${parts.join(', ')}.`;
}

/** What is not met, the worst first. */
export function openJudgements({ expectations }: CheckedDataset): readonly AgentJudgement[] {
  const unmet = expectations.filter(({ verdict }) => verdict === 'unmet');
  return [...unmet, ...expectations.filter(({ verdict }) => verdict === 'unknown')];
}

/** The command that shows the rows, or else the run; null where there is nothing to see. */
export function commandFor(
  { datasetId, jobId }: CheckedDataset,
  { property, condition, verdict }: AgentJudgement,
): string | null {
  if (verdict !== 'unmet') return null;
  if (datasetId !== null && condition !== null)
    return `roster data query ${datasetId} --where ${shellWord(condition)}`;
  const isOfRun = property === 'finish' || property.startsWith('records.');
  return isOfRun || datasetId === null ? `roster runs show ${jobId}` : `roster data preview ${datasetId}`;
}

/** What is not met, as diagnostics at the line of the manifest that expects it. */
export function checkFindings({ datasets }: Pick<DataCheck, 'datasets'>): readonly Diagnostic[] {
  return datasets.flatMap((dataset) =>
    openJudgements(dataset).map((judgement): Diagnostic => {
      const { verdict, level, place } = judgement;
      const isUnmet = verdict === 'unmet';
      const shown = commandFor(dataset, judgement);
      const help = [...(shown === null ? [] : [`\`${shown}\` shows it.`]), ...dataset.changed].join(' ');
      const found: Diagnostic = {
        severity: isUnmet && level === 'error' ? 'error' : 'warning',
        code: isUnmet ? 'unmet-expectation' : 'unknown-expectation',
        message: `${dataset.agent} of ${dataset.address}: ${judgementText(judgement)}`,
        address: dataset.address,
      };
      const placed = place === null ? found : { ...found, place };
      return help === '' ? placed : { ...placed, help };
    }),
  );
}
