import { numberText } from '../../model/frequency.js';
import type { LoadStep } from './load-scale.js';

interface Shade {
  readonly fill: string;
  /** The color of a number on it. */
  readonly text: string;
}

/** On light and dark pages, from few starts to many. */
export const heatShades: readonly { readonly light: Shade; readonly dark: Shade }[] = [
  { light: { fill: '#fde4cf', text: '#1f2328' }, dark: { fill: '#4a2c17', text: '#f0f6fc' } },
  { light: { fill: '#fbc08d', text: '#1f2328' }, dark: { fill: '#7a4419', text: '#f0f6fc' } },
  { light: { fill: '#f0883e', text: '#1f2328' }, dark: { fill: '#b5651d', text: '#000000' } },
  { light: { fill: '#bd4b00', text: '#ffffff' }, dark: { fill: '#f0883e', text: '#000000' } },
  { light: { fill: '#762d00', text: '#ffffff' }, dark: { fill: '#ffc680', text: '#000000' } },
];

/** `30`, or `31–1,200`. */
export function rangeText({ low, high }: LoadStep): string {
  return low === high ? numberText(low) : `${numberText(low)}–${numberText(high)}`;
}

/** At most five characters, which fit into a cell: `9,950`, `12k`, `3M`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return numberText(value);
  return value < 999_500 ? `${Math.round(value / 1_000)}k` : `${Math.round(value / 1_000_000)}M`;
}
