import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Bench, rosterSubject, startWorld, type World, write } from './bench.js';
import type { Subject } from './measure.js';
import { COST_HEAD, costCells, growth, type Row } from './report.js';
import { writeTerraform } from './terraform.js';

/** Commands on projects of several sizes: time, memory, and how both grow. */

interface Command {
  readonly title: string;
  readonly words: readonly string[];
  readonly terraform?: readonly string[];
  /** Also compare with the `yaml` package, which only parses. */
  readonly isParsing?: true;
}

export const COMMANDS = {
  plan: {
    title: 'Plan, nothing to change',
    words: ['plan'],
    terraform: ['plan', '-input=false', '-no-color'],
  },
  validate: { title: 'Validate', words: ['validate'], terraform: ['validate'], isParsing: true },
  drift: { title: 'Drift, no changes', words: ['drift'] },
  snapshot: { title: 'Snapshot', words: ['snapshot'] },
  markdown: {
    title: 'Markdown of a plan that updates nearly everything',
    words: ['plan', '--file', 'changed.yaml', '--format', 'markdown'],
  },
  calendar: { title: 'Calendar', words: ['calendar'] },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

/** The most that a plan may take, as a multiple of Terraform's wall time. */
const OF_TERRAFORM: Readonly<Record<number, number>> = { 1000: 0.35, 10000: 0.12 };
/** More would take minutes a run. */
const MOST_TERRAFORM = 10_000;
const MOST_MEBIBYTES: Readonly<Record<number, number>> = { 10000: 250, 100000: 500 };

export async function commands(bench: Bench, names: readonly CommandName[]): Promise<void> {
  const rows = new Map<CommandName, Row[]>(names.map((name) => [name, []]));
  for (const size of bench.sizes) {
    const world = await startWorld(bench, size);
    try {
      for (const name of names) rows.get(name)?.push(...(await measured(bench, { size, world, name })));
    } finally {
      await world.close();
    }
  }
  for (const [name, own] of rows) print(bench, COMMANDS[name], own);
}

async function measured(
  bench: Bench,
  { size, world, name }: { size: number; world: World; name: CommandName },
): Promise<Row[]> {
  const command: Command = COMMANDS[name];
  const subjects = subjectsOf(bench, { size, world, command });
  const costs = await bench.meter.inTurns(subjects, bench.roundsOf(size));
  return costs.map((cost, index) => ({ size, name: subjects[index]?.name ?? '', cost }));
}

function subjectsOf(
  bench: Bench,
  { size, world, command }: { size: number; world: World; command: Command },
): Subject[] {
  const { way, cwdOf } = world;
  const ours = bench.builds.map((build) => ({
    ...rosterSubject(bench, build, command.words),
    cwd: cwdOf.get(build) ?? '',
    env: way.env,
  }));
  // The same build again shows what is noise.
  const again =
    size === bench.sizes[0] ? ours.slice(0, 1).map((each) => ({ ...each, name: 'now, again' })) : [];
  return [
    ...ours,
    ...again,
    ...(command.isParsing ? [yamlSubject(bench, cwdOf.get(bench.now) ?? '')] : []),
    ...terraformSubject(bench, size, command),
  ];
}

/** The `yaml` package with its cheapest options on the same files. */
function yamlSubject(bench: Bench, cwd: string): Subject {
  const yaml = createRequire(import.meta.url).resolve('yaml');
  write(bench.folder, {
    'parse.cjs': `const { readdirSync, readFileSync } = require('node:fs');
const { parse } = require(${JSON.stringify(yaml)});
for (const name of ['roster.yaml', ...readdirSync('teams').map((each) => 'teams/' + each)])
  parse(readFileSync(name, 'utf8'), { uniqueKeys: false });`,
  });
  return { name: 'yaml', command: bench.meter.node(join(bench.folder, 'parse.cjs')), cwd };
}

function terraformSubject(bench: Bench, size: number, { terraform }: Command): Subject[] {
  if (terraform === undefined || bench.terraform === null || size > MOST_TERRAFORM) return [];
  const cwd = join(bench.folder, `terraform-${size}`);
  writeTerraform(cwd, size);
  return [
    { name: 'terraform', command: bench.meter.other('terraform', ...terraform), cwd, isSlow: size > 1_000 },
  ];
}

function print({ report, sizes, roundsOf }: Bench, command: Command, rows: readonly Row[]): void {
  const rounds = sizes.map(roundsOf).join(', ');
  report.title(command.title, `\`roster ${command.words.join(' ')}\`, medians of ${rounds} runs`);
  const first = (size: number) => rows.find((row) => row.size === size);
  report.table(
    [...COST_HEAD, 'now: wall', 'CPU', 'memory'],
    rows.map((row) => costCells(row, first(row.size) ?? row)),
  );
  for (const name of new Set(rows.map((row) => row.name)))
    for (const { from, to, exponent } of growth(rows, name)) {
      const what = `growth of CPU time, ${from} to ${to} resources`;
      const isPlan = command === COMMANDS.plan;
      if (name === 'now')
        report.check(what, exponent, { goal: isPlan && to <= 10_000 ? 0.8 : 1, room: 1.15 });
      else report.note(`- ${what}, ${name}: ${exponent.toFixed(2)}`);
    }
  if (command === COMMANDS.plan) checkPlan(report, rows);
  if (command === COMMANDS.validate) checkValidate(report, rows);
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

/** Checking a manifest takes less than parsing it with the `yaml` package does. */
function checkValidate(report: Bench['report'], rows: readonly Row[]): void {
  const large = rows.filter(({ size }) => size === rows.at(-1)?.size);
  const cost = (name: string) => large.find((row) => row.name === name)?.cost.cpu ?? Number.NaN;
  report.check('CPU time relative to parsing with the `yaml` package', cost('now') / cost('yaml'), {
    goal: 1,
  });
}
