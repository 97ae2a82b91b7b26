import { join } from 'node:path';
import { type Bench, createSubject, rowsOf } from './bench.js';
import type { Subject } from './measure.js';
import { projectOf } from './project.js';
import { growth, type Row } from './report.js';
import { writeTerraform } from './terraform.js';

/** Applies that create everything, each build against its own sandbox. */

/** The most that it may take, as a multiple of Terraform's wall time for as many. */
const OF_TERRAFORM = 0.05;
const MOST_MEBIBYTES = { creates: 100_000, goal: 700 };
/** Terraform takes four times as long for twice as many. */
const MOST_TERRAFORM = 1_000;

export async function apply(bench: Bench): Promise<void> {
  const { report } = bench;
  const rows: Row[] = [];
  for (const size of bench.creates) {
    const project = projectOf(size, { hasKey: false });
    const ours = bench.builds.map((build) => createSubject(bench, build, project));
    const rounds = size <= 1_000 ? bench.roundsOf(size) : 1;
    rows.push(...(await rowsOf(bench, size, [...ours, ...terraformSubject(bench, size)], rounds)));
  }
  report.title(
    'Apply of creates',
    'wall time includes the sandbox of the same build; CPU time and memory do not',
  );
  report.costs(rows);
  for (const { from, to, exponent } of growth(rows, bench.now.name))
    report.check(`growth of CPU time, ${from} to ${to} creates`, exponent, { goal: 1, room: 1.15 });
  for (const { size, name, cost } of rows)
    if (name === bench.now.name && size === MOST_MEBIBYTES.creates)
      report.check(`peak MiB of ${size} creates`, cost.megabytes, { ...MOST_MEBIBYTES, room: 1.05 });
  const wall = (name: string) =>
    rows.find((row) => row.name === name && row.size === MOST_TERRAFORM)?.cost.wall ?? Number.NaN;
  report.check(`apply of ${MOST_TERRAFORM} creates, relative to Terraform`, wall('now') / wall('terraform'), {
    goal: OF_TERRAFORM,
  });
}

function terraformSubject(bench: Bench, size: number): Subject[] {
  if (bench.terraform === null || size > MOST_TERRAFORM) return [];
  const cwd = join(bench.folder, `terraform-creates-${size}`);
  writeTerraform(cwd, size, true);
  const words = ['apply', '-auto-approve', '-input=false', '-no-color'];
  return [{ name: 'terraform', command: bench.meter.other('terraform', ...words), cwd, isSlow: true }];
}
