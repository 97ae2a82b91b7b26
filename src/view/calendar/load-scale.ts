/** A step of a scale: hours in which from `low` to `high` agents start. */
export interface LoadStep {
  readonly low: number;
  readonly high: number;
}

/**
 * The steps of a scale for these hours, the quietest first. Each step has about as many different numbers as the others:
 * equal distances would put all busy hours into one step as soon as one hour is much busier than the rest.
 */
export function loadSteps(hours: readonly number[], most: number): readonly LoadStep[] {
  const values = [...new Set(hours.filter((starts) => starts > 0))].sort((a, b) => a - b);
  const steps = Math.min(most, values.length);
  return Array.from({ length: steps }, (_, index) => {
    const from = Math.floor((values.length * index) / steps);
    const until = Math.floor((values.length * (index + 1)) / steps);
    return { low: values[from] ?? 0, high: values[until - 1] ?? 0 };
  });
}

/** The index of the step; -1 for an hour in which nothing starts. */
export function stepOf(starts: number, steps: readonly LoadStep[]): number {
  return starts === 0 ? -1 : steps.findIndex(({ high }) => starts <= high);
}
