import { join } from 'node:path';
import { type Bench, rosterSubject, rowsOf, startWorld, type World } from './bench.js';
import type { Subject } from './measure.js';
import { growth, type Row } from './report.js';
import { writeTerraform } from './terraform.js';

/** Commands on projects of several sizes, with nothing to change: time, memory, and how both grow. */

export const COMMANDS = {
  plan: { words: ['plan'], terraform: ['plan', '-input=false', '-no-color'] },
  validate: { words: ['validate'], terraform: ['validate'] },
} as const;

export type CommandName = keyof typeof COMMANDS;

/** The most that a plan may take, as a multiple of Terraform's wall time. */
const OF_TERRAFORM: Readonly<Record<number, number>> = { 1000: 0.35, 10000: 0.12 };
/** More would take minutes a run. */
const MOST_TERRAFORM = 10_000;
const MOST_MEBIBYTES: Readonly<Record<number, number>> = { 10000: 250, 100000: 500 };

/** Commands share the services with their projects. */
export async function commands(bench: Bench, names: readonly CommandName[]): Promise<void> {
  const rows = new Map<CommandName, Row[]>(names.map((name) => [name, []]));
  for (const size of bench.sizes) {
    const world = await startWorld(bench, size);
    try {
      for (const name of names) {
        const subjects = subjectsOf(bench, { size, world, name });
        rows.get(name)?.push(...(await rowsOf(bench, size, subjects, bench.roundsOf(size))));
      }
    } finally {
      await world.close();
    }
  }
  for (const [name, own] of rows) print(bench, name, own);
}

function subjectsOf(
  bench: Bench,
  { size, world, name }: { size: number; world: World; name: CommandName },
): Subject[] {
  const ours = bench.builds.map((build) => ({
    ...rosterSubject(bench, build, COMMANDS[name].words),
    cwd: world.cwdOf.get(build) ?? '',
    env: world.env,
  }));
  // The same build again shows what is noise.
  const again = ours
    .slice(0, size === bench.sizes[0] ? 1 : 0)
    .map((each) => ({ ...each, name: 'now, again' }));
  return [...ours, ...again, ...terraformSubject(bench, size, name)];
}

function terraformSubject(bench: Bench, size: number, name: CommandName): Subject[] {
  if (bench.terraform === null || size > MOST_TERRAFORM) return [];
  const cwd = join(bench.folder, `terraform-${size}`);
  writeTerraform(cwd, size);
  const command = bench.meter.other('terraform', ...COMMANDS[name].terraform);
  return [{ name: 'terraform', command, cwd, isSlow: size > 1_000 }];
}

function print({ report, sizes, roundsOf }: Bench, command: CommandName, rows: readonly Row[]): void {
  report.title(`roster ${command}, nothing to change`, `medians of ${sizes.map(roundsOf).join(', ')} runs`);
  report.costs(rows);
  for (const name of new Set(rows.map((row) => row.name)))
    for (const { from, to, exponent } of growth(rows, name)) {
      const what = `growth of CPU time, ${from} to ${to} resources`;
      const goal = command === 'plan' && to <= 10_000 ? 0.8 : 1;
      if (name === 'now') report.check(what, exponent, { goal, room: 1.15 });
      else report.note(`- ${what}, ${name}: ${exponent.toFixed(2)}`);
    }
  if (command === 'plan') checkPlan(report, rows);
}

function checkPlan(report: Bench['report'], rows: readonly Row[]): void {
  for (const { size, name, cost } of rows) {
    const other = rows.find((row) => row.size === size && row.name === 'terraform');
    const goal = OF_TERRAFORM[size];
    if (name !== 'now') continue;
    if (other !== undefined && goal !== undefined)
      report.check(`plan of ${size} resources, relative to Terraform`, cost.wall / other.cost.wall, { goal });
    const mebibytes = MOST_MEBIBYTES[size];
    if (mebibytes !== undefined)
      report.check(`peak MiB of ${size} resources`, cost.megabytes, { goal: mebibytes, room: 1.05 });
  }
}
