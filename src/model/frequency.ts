/** Rounded to two decimal places, so that it prints the same everywhere. */
export function roundedFrequency(perWeek: number): number {
  return Number(perWeek.toFixed(2));
}

/** Made once, because `toLocaleString` makes one for each number. */
let format: Intl.NumberFormat | undefined;

/** `120,960`. */
export function numberText(number: number): string {
  format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
  return format.format(number);
}

/** `28 runs a week`; runs a year when there is less than one in two weeks, and `1 run in 4 years`. */
export function frequencyText(runsPerWeek: number): string {
  const perYear = (runsPerWeek / 7) * 365.25;
  if (perYear > 0 && perYear < 0.75) return `1 run in ${numberText(1 / perYear)} years`;
  const [number, span] = runsPerWeek >= 0.5 ? [runsPerWeek, 'week'] : [perYear, 'year'];
  const rounded = roundedFrequency(number);
  return `${numberText(rounded)} ${rounded === 1 ? 'run' : 'runs'} a ${span}`;
}

const units = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** In the largest unit that has no remainder: `5 minutes`, `36 hours`. */
export function intervalText(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  const value = seconds / length;
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}
