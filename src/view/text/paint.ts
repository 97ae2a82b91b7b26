import { styleText } from 'node:util';

const styles = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
  replaced: 'magenta',
  kept: 'cyan',
  faint: 'gray',
  strong: 'bold',
  danger: ['bold', 'red'],
  warning: ['bold', 'yellow'],
} as const;

export type Style = keyof typeof styles;

/** Colours a text without line breaks. */
export type Paint = (style: Style, text: string) => string;

/** The caller decides on colour: it knows the terminal, the flags and NO_COLOR. */
export function painter(color: boolean): Paint {
  if (!color) return (_style, text) => text;
  return (style, text) => {
    const format = styles[style];
    return styleText(typeof format === 'string' ? format : [...format], text, { validateStream: false });
  };
}

/** The options of every text view. `width` is in columns. */
export interface TextOptions {
  readonly color: boolean;
  readonly width?: number | undefined;
  readonly verbose?: boolean | undefined;
}
