/** Rounded to two decimal places, so that it prints the same everywhere. */
export function roundedFrequency(runsPerWeek: number): number {
  return Number(runsPerWeek.toFixed(2));
}

/** `28 runs a week`; runs a year when there is less than one in two weeks. */
export function frequencyText(runsPerWeek: number): string {
  const [number, span] = runsPerWeek >= 0.5 ? [runsPerWeek, 'week'] : [(runsPerWeek / 7) * 365.25, 'year'];
  const rounded = roundedFrequency(number);
  return `${rounded} ${rounded === 1 ? 'run' : 'runs'} a ${span}`;
}
