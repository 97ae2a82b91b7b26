import { styleText } from 'node:util';
import { usableWidth } from './layout.js';

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

/** Colors a text without line breaks. */
export type Paint = (style: Style, text: string) => string;

/** The caller decides on color: it knows the terminal, the flags and NO_COLOR. */
function painter(color: boolean): Paint {
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
  /** Whether rows that are wider take several lines, as on a terminal. Default: false, for `grep`. */
  readonly breaksRows?: boolean | undefined;
}

/** `width` is the number of columns that are left on the line. */
export interface TextLayout {
  readonly width: number;
  readonly verbose: boolean;
  readonly breaksRows: boolean;
  readonly paint: Paint;
}

export function textLayout({ color, width, verbose = false, breaksRows = false }: TextOptions): TextLayout {
  return { width: usableWidth(width), verbose, breaksRows, paint: painter(color) };
}
