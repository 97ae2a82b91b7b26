import { type Cost, exponent } from './measure.js';

/** Prints what was measured, and records whether all limits were met. */
export class Report {
  readonly broken: string[] = [];

  title(text: string, more = ''): void {
    console.log(`\n## ${text}${more === '' ? '' : `\n${more}`}\n`);
  }

  note(text: string): void {
    console.log(text);
  }

  /** A number that must not be larger than its goal. `room` is for noise: times of a busy machine vary, counts do not. */
  check(what: string, value: number, { goal, room = 1.2 }: { goal: number; room?: number }): void {
    if (Number.isNaN(value)) return;
    const isBroken = value > goal * room;
    if (isBroken) this.broken.push(what);
    const verdict = value <= goal ? 'ok' : isBroken ? 'TOO MUCH' : 'within noise';
    console.log(`- ${what}: ${Number(value.toPrecision(3))}, at most ${goal}: ${verdict}`);
  }

  /** With the costs of this build as multiples of those of the others. */
  costs(rows: readonly Row[]): void {
    const first = (size: number) => rows.find((row) => row.size === size);
    this.table(
      COST_HEAD,
      rows.map((row) => costCells(row, first(row.size) ?? row)),
    );
  }

  /** In Markdown, with numbers to the right. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const columns = head.map((title, column) => {
      const cells = rows.map((row) => row[column] ?? '');
      const width = Math.max(title.length, ...cells.map((each) => each.length));
      const isNumber = cells.every((each) => /^[\d.,-]*$/.test(each));
      const pad = (cell: string) => (isNumber ? cell.padStart(width) : cell.padEnd(width));
      return [pad(title), `${'-'.repeat(width - 1)}${isNumber ? ':' : '-'}`, ...cells.map(pad)];
    });
    const lines = (columns[0] ?? []).map(
      (_, line) => `| ${columns.map((cells) => cells[line]).join(' | ')} |`,
    );
    console.log(`${lines.join('\n')}\n`);
  }
}

/** One row of a table: who did the work, on how much, and what it cost. */
export interface Row {
  readonly size: number;
  readonly name: string;
  readonly cost: Cost;
}

const COST_HEAD = ['resources', 'program', 'wall s', 'CPU s', 'peak MiB', 'now: wall', 'CPU', 'memory'];

/** With the costs of the first row as multiples of those of the row itself. */
function costCells({ size, name, cost }: Row, first: Row): readonly string[] {
  const { wall, cpu, megabytes } = cost;
  const times = (part: keyof Cost) => number(first.cost[part] / cost[part], 2);
  return [
    size.toLocaleString('en'),
    name,
    number(wall, 2),
    number(cpu, 2),
    number(megabytes, 0),
    ...(name === first.name ? ['', '', ''] : [times('wall'), times('cpu'), times('megabytes')]),
  ];
}

/** A dash where it could not be measured. */
export function number(value: number, digits: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(digits);
}

/** How the processor time of one program grows from each size to the next. */
export function growth(rows: readonly Row[], name: string): { from: number; to: number; exponent: number }[] {
  const own = rows.filter((row) => row.name === name);
  return own.slice(1).flatMap((row, index) => {
    const before = own[index];
    if (before === undefined) return [];
    const at = ({ size, cost }: Row) => ({ size, value: cost.cpu });
    return [{ from: before.size, to: row.size, exponent: exponent(at(before), at(row)) }];
  });
}
