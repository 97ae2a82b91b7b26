/** To two places, as a number that prints the same everywhere. */
export function roundedFrequency(runsPerWeek: number): number {
  return Number(runsPerWeek.toFixed(2));
}

/** `28 runs a week`; what is rarer than every other week is told by the year. */
export function frequencyText(runsPerWeek: number): string {
  const [number, span] = runsPerWeek >= 0.5 ? [runsPerWeek, 'week'] : [(runsPerWeek / 7) * 365.25, 'year'];
  const rounded = roundedFrequency(number);
  return `${rounded} ${rounded === 1 ? 'run' : 'runs'} a ${span}`;
}
