import fc from 'fast-check';
import type { DiagnosticCode } from '../../../src/model/diagnostic.js';
import type { FileTree } from '../../unit/manifest/project.js';

/** A project that means harm, or only looks so. */
export interface Hostile {
  readonly family: string;
  readonly name: string;
  readonly files: FileTree;
  /** What else stands in the folder: links, pipes. */
  readonly arrange?: (folder: string) => void;
  /** The code of all errors that must be told of it; `fine` for what must be read. */
  readonly expected: DiagnosticCode | 'fine';
  /** Codes of other mistakes that it holds besides. */
  readonly also?: readonly DiagnosticCode[];
}

/** Takes a value, each time another one, the same again for the same seed. */
export type Draw = <T>(from: fc.Arbitrary<T>) => T;

export function drawing(seed: number): Draw {
  let count = 0;
  return (from) => {
    const [value] = fc.sample(from, { seed: seed + count, numRuns: 1 });
    count += 1;
    if (value === undefined) throw new Error('nothing was drawn');
    return value;
  };
}

/** Name, text, what must be told: `roster.yaml` is made of the text. */
export type Row = readonly [
  name: string,
  text: string,
  expected: Hostile['expected'],
  ...also: readonly DiagnosticCode[],
];

/** The text somewhere in a file of a project. */
export function texts(family: string, draw: Draw, rows: readonly Row[]): Hostile[] {
  return rows.map(([name, text, expected, ...also]) => ({
    family,
    name,
    files: { 'roster.yaml': `project: p\n${ordinary(draw)}${text}${text.endsWith('\n') ? '' : '\n'}` },
    expected,
    also,
  }));
}

/** Lines that change nothing but the place of what follows. */
function ordinary(draw: Draw): string {
  const line = fc.constantFrom('# words\n', '\n', 'x-%: { a: [1, b], c: d }\n', 'x-%:\n  - a\n  - b: "c"\n');
  const lines = draw(fc.array(line, { maxLength: 6 }));
  return lines.map((each, index) => each.replace('%', `before-${index}`)).join('');
}

export function numbered(line: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}
