// Measures what roster costs on projects of several sizes: npm run bench [-- PART… [--sizes N,…] [--against FILE]].
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/fresh.js';
import { bundle } from '../../scripts/products.js';
import { apply } from './apply.js';
import type { Bench, Build } from './bench.js';
import { COMMANDS, type CommandName, commands } from './commands.js';
import { hostile } from './hostile.js';
import { Meter } from './measure.js';
import { Report } from './report.js';
import { start } from './start.js';
import { terraformVersion } from './terraform.js';

const names = Object.keys(COMMANDS) as CommandName[];
const known: readonly string[] = ['start', 'hostile', ...names, 'apply'];

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    creates: { type: 'string', default: '1000,10000,100000' },
    rounds: { type: 'string' },
    against: { type: 'string' },
    'no-terraform': { type: 'boolean', default: false },
  },
});
const unknown = parts.filter((part) => !known.includes(part));
if (unknown.length > 0) {
  console.error(`unknown part: ${unknown.join(', ')}. Parts: ${known.join(', ')}`);
  process.exit(64);
}

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const report = new Report();
try {
  await bundle();
  const bench = prepare();
  report.note(
    [
      `Node ${process.version}`,
      bench.terraform,
      `${availableParallelism()} CPUs`,
      'nothing cached',
      'NODE_EXTRA_CA_CERTS unset',
    ]
      .filter((each) => each !== null)
      .join(', '),
  );
  await measure(bench);
  report.note(
    report.broken.length === 0
      ? '\nAll within the limits.'
      : `\nOver the limits:\n- ${report.broken.join('\n- ')}`,
  );
  process.exitCode = report.broken.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function prepare(): Bench {
  const now: Build = { name: 'now', program: join(root, 'dist/roster.cjs') };
  const { against, rounds } = values;
  const before = against === undefined ? [] : [{ name: 'before', program: resolve(against) }];
  return {
    builds: [now, ...before],
    now,
    sizes: numbers(values.sizes),
    creates: numbers(values.creates),
    roundsOf: (resources) => Number(rounds ?? (resources <= 1_000 ? 7 : resources <= 10_000 ? 3 : 1)),
    terraform: values['no-terraform'] ? null : terraformVersion(),
    folder,
    meter: new Meter(folder),
    report,
  };
}

/** Commands share the services with their projects, so they run together. */
async function measure(bench: Bench): Promise<void> {
  const isChosen = (name: string) => parts.length === 0 || parts.includes(name);
  if (isChosen('start')) await start(bench);
  if (isChosen('hostile')) await hostile(bench);
  const chosen = names.filter(isChosen);
  if (chosen.length > 0) await commands(bench, chosen);
  if (isChosen('apply')) await apply(bench);
}

function numbers(text: string): number[] {
  const list = text.split(',').map(Number);
  const isWrong = (each: number) => !Number.isInteger(each) || each < 10 || each % 10 !== 0;
  if (list.some(isWrong)) throw new Error(`not a list of multiples of ten: ${text}`);
  return list.toSorted((a, b) => a - b);
}
