// Measures the cost of validating a large project, as a multiple of parsing its text with the yaml package: npm run
// bench. Each run is a separate process.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/fresh.js';
import { bundle } from '../../scripts/products.js';
import { inTurns, median, run, type Subject } from './rounds.js';

interface Cost {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** The most time and memory that validating may take, as a multiple of parsing. */
const limit = 3;
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
/** Loaded into each process: reports its peak memory when it ends. */
const peak = `process.on('exit', () =>
  require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS / 1024)));`;
const yaml = createRequire(import.meta.url).resolve('yaml');

try {
  await bundle();
  writeFileSync(join(folder, 'peak.cjs'), peak);
  console.log(`Node ${process.version}, medians of ${rounds} interleaved runs, NODE_EXTRA_CA_CERTS unset`);
  // By default yaml checks for duplicate keys, in time that grows with the square of the entries.
  compare(5_000, 'parse(text)', 'its default options');
  const within = compare(50_000, 'parse(text, { uniqueKeys: false })', 'uniqueKeys: false');
  process.exitCode = within ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function compare(entries: number, parsing: string, options: string): boolean {
  const cwd = join(folder, String(entries));
  const text = project(entries);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'roster.yaml'), text);
  const script = `const text = require('node:fs').readFileSync('roster.yaml', 'utf8');
    const { parse } = require(${JSON.stringify(yaml)}); ${parsing}`;
  const watched = ['--require', join(folder, 'peak.cjs')];
  const subjects: readonly Subject[] = [
    { name: `yaml with ${options}`, parameters: [...watched, '-e', script] },
    { name: 'roster validate', parameters: [...watched, join(root, 'dist/roster.cjs'), 'validate'] },
  ];
  const costs = inTurns(subjects, rounds, (subject) => costOf(subject, cwd));
  const title = `${entries} entries, ${(text.length / 1e6).toFixed(1)} MB`;
  return print(title, subjects, costs.map(typical));
}

function costOf(subject: Subject, cwd: string): Cost {
  const { milliseconds, said } = run(subject, cwd);
  return { milliseconds, megabytes: Number(said) };
}

function typical(costs: readonly Cost[]): Cost {
  return {
    milliseconds: median(costs.map((each) => each.milliseconds)),
    megabytes: median(costs.map((each) => each.megabytes)),
  };
}

function print(title: string, subjects: readonly Subject[], costs: readonly Cost[]): boolean {
  console.log(`\n${title}`);
  const [base] = costs;
  if (base === undefined) return false;
  const verdicts = costs.map(({ milliseconds, megabytes }, index) => {
    const [time, memory] = [milliseconds / base.milliseconds, megabytes / base.megabytes];
    const verdict = time <= limit && memory <= limit ? 'ok' : 'TOO MUCH';
    const shown = [
      (subjects[index]?.name ?? '').padEnd(30),
      `${milliseconds.toFixed(0).padStart(6)} ms  ${time.toFixed(2)}x`,
      `${megabytes.toFixed(0).padStart(6)} MB  ${memory.toFixed(2)}x`,
      index === 0 ? '' : `at most ${limit}: ${verdict}`,
    ];
    console.log(shown.join('  ').trimEnd());
    return verdict === 'ok';
  });
  return verdicts.every(Boolean);
}

/** A realistic project: half groups, a tenth pipelines, the rest schedules of two kinds. */
function project(entries: number): string {
  const [groups, pipelines] = [entries * 0.5, entries * 0.1];
  return [
    'project: bench\nvars: { zone: Europe/Berlin }\n',
    section('groups', groups, group),
    section('pipelines', pipelines, pipeline),
    section('schedules', entries - groups - pipelines, schedule),
  ].join('');
}

function section(name: string, count: number, entry: (index: number) => string): string {
  return `${name}:\n${Array.from({ length: count }, (_, index) => entry(index)).join('')}`;
}

function group(index: number): string {
  return `  group-${index}:
    name: Group number ${index}
    description: Every shop of region ${index % 97}
    members: [agent-${index}, agent-${index + 1}, agent-${index + 2}]
`;
}

function pipeline(index: number): string {
  return `  pipeline-${index}:
    name: Pipeline number ${index}
    stages: [login-check, catalogue-${index}, prices-${index}]
`;
}

function schedule(index: number): string {
  const timing =
    index % 2 === 0
      ? `cron: "0 ${index % 60} ${index % 24} * * *"\n    inputs: { country: DE, page: ${index % 50} }`
      : `every: ${1 + (index % 12)} hours\n    timeZone: \${var.zone}`;
  return `  schedule-${index}:
    target: group/group-${index}
    ${timing}
    startTime: 2026-12-01T06:00:00
`;
}
