import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packedFiles } from '../../scripts/package-size.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { program } from '../support/program.js';

/** A copy of the built command, as if it were installed there: its cache is its own. */
const folder = mkdtempSync(join(tmpdir(), 'roster-cache-'));
const dist = join(folder, 'dist');
const cache = join(dist, 'cache');
const file = join(cache, 'validate');
const project = join(folder, 'project');
const isRoot = process.getuid?.() === 0;

const manifest = `project: cached
groups: { shops: { members: [acme-shop] } }
schedules: { daily: { target: group/shops, cron: "0 0 7 * * *", startTime: 2027-01-04T00:00:00 } }
`;
const valid = { exit: 0, stdout: 'roster.yaml is valid: 2 resources.\n', stderr: '' };
const off = { NODE_DISABLE_COMPILE_CACHE: '1' };

interface Result {
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

interface How {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** In a shell, before the command. */
  readonly before?: string;
  readonly killAfterMs?: number;
}

function run(args: readonly string[], { env = {}, uid, before, killAfterMs }: How = {}): Promise<Result> {
  const command = [process.execPath, join(dist, 'roster.cjs'), ...args];
  const [path = '', ...rest] =
    before === undefined ? command : ['sh', '-c', `${before}; exec "$@"`, 'sh', ...command];
  const options = {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    killSignal: 'SIGKILL' as const,
    ...(uid === undefined ? {} : { uid }),
    ...(killAfterMs === undefined ? {} : { timeout: killAfterMs }),
  };
  return new Promise((resolve) => {
    execFile(path, rest, options, (error, stdout, stderr) =>
      resolve({ exit: error === null ? 0 : (error.code ?? 'killed'), stdout, stderr }),
    );
  });
}

const validate = (how?: How) => run(['validate'], how);

beforeAll(() => {
  cpSync(dirname(program), dist, { recursive: true, filter: (path) => !path.endsWith('/cache') });
  mkdirSync(project);
  writeFileSync(join(project, 'roster.yaml'), manifest);
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a run', () => {
  beforeEach(() => rmSync(cache, { recursive: true, force: true }));

  test('keeps the compiled code, which the next run uses and leaves as it is', async () => {
    expect(await validate()).toEqual(valid);
    const { ino, size } = statSync(file);
    expect(await validate()).toEqual(valid);
    expect(statSync(file)).toMatchObject({ ino, size });
    expect(readdirSync(cache)).toEqual(['validate']);
  });

  test('keeps it where only its user can read and write', async () => {
    await validate({ before: 'umask 0' });
    expect([statSync(cache).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('adds the code of chunks that the runs before it did not need', async () => {
    expect((await run(['validate', '--help'])).exit).toBe(0);
    const { size } = statSync(file);
    expect(await validate()).toEqual(valid);
    expect(statSync(file).size).toBeGreaterThan(2 * size);
  });

  test.each([
    ['fails', ['validate', '--file', 'missing.yaml'], {}],
    ['has no command', ['--version'], {}],
    ['is told to by NODE_DISABLE_COMPILE_CACHE', ['validate'], off],
    ['measures which code runs', ['validate'], { NODE_V8_COVERAGE: join(folder, 'coverage') }],
  ])('keeps nothing if it %s', async (_, args, env) => {
    await run(args, { env });
    expect(existsSync(cache)).toBe(false);
  });

  test('of an unknown command keeps no more files than there can be commands', async () => {
    mkdirSync(cache, { mode: 0o700 });
    for (let index = 0; index < 40; index += 1) writeFileSync(join(cache, `old-${index}`), '');
    expect((await run(['nonsense', '--help'])).exit).toBe(0);
    expect(readdirSync(cache)).toHaveLength(40);
  });
});

describe('every command prints the same without a cache, while it writes one, and from it', () => {
  let sandbox: Sandbox;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    rmSync(cache, { recursive: true, force: true });
    sandbox = await startSandbox();
    env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    expect((await run(['apply', '--yes'], { env: { ...env, ...off } })).exit).toBe(0);
  });
  afterAll(() => sandbox.close());

  test.each([
    'validate',
    'validate --format json',
    'validate --help',
    'fmt --check',
    'graph',
    'calendar --from 2027-01-01',
    'calendar --from 2027-01-01 --format html',
    'schema project',
    'completion bash',
    '__complete pl',
    'version',
    'help plan',
    'plan',
    'plan --format json',
    'plan --format html',
    // With texts that are not ASCII.
    'plan --destroy --format html',
    'plan --destroy --format markdown',
    'apply --yes',
    'drift',
    'why group/shops',
    'pull --format diff',
    'unlock --help',
    'destroy --help',
    'snapshot --help',
    'sandbox --help',
    'init --help',
    'validate --no-such-flag',
    'vaildate',
    'plan --file missing.yaml',
  ])('roster %s', async (line) => {
    const args = line.split(' ');
    const plain = await run(args, { env: { ...env, ...off } });
    const cold = await run(args, { env });
    const warm = await run(args, { env });
    const stable = (result: Result) => JSON.stringify(result).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
    expect(stable(cold)).toBe(stable(plain));
    expect(stable(warm)).toBe(stable(plain));
  });
});

describe('a damaged or foreign cache is not used, and changes nothing', () => {
  let whole = Buffer.alloc(0);
  beforeAll(async () => {
    rmSync(cache, { recursive: true, force: true });
    await validate();
    whole = readFileSync(file);
  });
  beforeEach(() => {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { mode: 0o700 });
    writeFileSync(file, whole, { mode: 0o600 });
  });

  const half = () => whole.length / 2;
  const flip = (...places: number[]) => {
    const bytes = Buffer.from(whole);
    for (const place of places) bytes[place] = (bytes[place] ?? 0) ^ 1;
    return bytes;
  };
  /** The same damage in both halves, in the header. */
  const retold = (from: string, to: string) =>
    Buffer.from(whole.toString('latin1').replaceAll(from, to), 'latin1');

  const damages: [string, () => Buffer][] = [
    ['is empty', () => Buffer.alloc(0)],
    ['lacks its second half', () => whole.subarray(0, half())],
    ['has zeros after its first page', () => Buffer.from(whole).fill(0, 4096)],
    ['is text', () => Buffer.from('#!/bin/sh\n'.repeat(1000))],
    ['has a flipped bit in its header', () => flip(10)],
    ['has a flipped bit in its code', () => flip(Math.floor(half() / 2))],
    [
      'is of another version of Node',
      () => retold(` ${process.versions.node} `, ' 1.2.3 '.padEnd(process.versions.node.length + 2)),
    ],
    [
      'is of another version of V8',
      () => retold(process.versions.v8, '1'.repeat(process.versions.v8.length)),
    ],
  ];
  test.each(damages)('if it %s; it is written anew', async (_, damaged) => {
    writeFileSync(file, damaged());
    expect(await validate()).toEqual(valid);
    expect(readFileSync(file).equals(damaged())).toBe(false);
    expect(readdirSync(cache)).toEqual(['validate']);
  });

  /** A cache that is used says something else: so these show that it is not, and not only that nothing breaks. */
  const elsewhere = () => {
    const place = join(folder, 'elsewhere');
    rmSync(place, { recursive: true, force: true });
    renameSync(cache, place);
    return place;
  };
  const foreign: [string, () => void][] = [
    ['others can read the file', () => chmodSync(file, 0o644)],
    ['others can write the file', () => chmodSync(file, 0o602)],
    ['its group can write the file', () => chmodSync(file, 0o620)],
    ['others can enter the folder', () => chmodSync(cache, 0o701)],
    ['others can write the folder', () => chmodSync(cache, 0o702)],
    ['its group can write the folder', () => chmodSync(cache, 0o770)],
    ['the folder is a link', () => symlinkSync(elsewhere(), cache)],
    [
      'the folder is a file',
      () => {
        rmSync(cache, { recursive: true });
        writeFileSync(cache, whole);
      },
    ],
    [
      'the file is a folder',
      () => {
        rmSync(file);
        mkdirSync(file, { mode: 0o700 });
      },
    ],
    [
      'the file is a link',
      () => {
        renameSync(file, join(folder, 'target'));
        symlinkSync(join(folder, 'target'), file);
      },
    ],
  ];
  if (isRoot)
    foreign.push(
      ['the file is of another user', () => chownSync(file, 65_534, 65_534)],
      ['the folder is of another user', () => chownSync(cache, 65_534, 65_534)],
    );
  /** How many chunks of a run came from the cache. */
  async function countUsed(): Promise<string> {
    const [probe, count] = [join(folder, 'probe.cjs'), join(folder, 'count')];
    writeFileSync(
      probe,
      `const vm = require('node:vm'), { Script } = vm;
      let used = 0;
      vm.Script = class extends Script {
        constructor(text, options) {
          super(text, options);
          if (options.cachedData !== undefined) used += 1;
        }
      };
      process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(count)}, String(used)));`,
    );
    expect(await validate({ env: { NODE_OPTIONS: `--require ${probe}` } })).toEqual(valid);
    return readFileSync(count, 'utf8');
  }

  test('unlike one that is whole and private', async () => {
    expect(Number(await countUsed())).toBeGreaterThan(5);
  });

  test.each(foreign)('if %s', async (_, change) => {
    change();
    expect(await countUsed()).toBe('0');
  });

  test('and a pipe in its place does not stop the run', async () => {
    rmSync(file);
    await validate({ before: `mkfifo -m 600 ${file}` });
    expect(await validate()).toEqual(valid);
  });
});

describe('a cache that cannot be written is not written, and that changes nothing', () => {
  beforeEach(() => rmSync(cache, { recursive: true, force: true }));

  test('on a full disk', async () => {
    expect(await validate({ before: 'ulimit -f 100' })).toEqual(valid);
    expect(readdirSync(cache)).toEqual([]);
  });

  test.runIf(isRoot)('by a user who does not own the program', async () => {
    expect(await validate({ uid: 65_534 })).toEqual(valid);
    chmodSync(dist, 0o777);
    expect(await validate({ uid: 65_534 })).toEqual(valid);
    chmodSync(dist, 0o755);
    expect(existsSync(cache)).toBe(false);
  });

  test.runIf(!isRoot)('in a folder that is read-only', async () => {
    chmodSync(dist, 0o555);
    expect(await validate()).toEqual(valid);
    chmodSync(dist, 0o755);
    expect(existsSync(cache)).toBe(false);
  });

  test('while another run writes it; what a killed run left is removed after a minute', async () => {
    mkdirSync(cache, { mode: 0o700 });
    const draft = `${file}.draft`;
    writeFileSync(draft, 'half');
    expect(await validate()).toEqual(valid);
    expect(readdirSync(cache)).toEqual(['validate.draft']);
    const before = new Date(Date.now() - 120_000);
    utimesSync(draft, before, before);
    expect([await validate(), readdirSync(cache)]).toEqual([valid, []]);
    expect([await validate(), readdirSync(cache)]).toEqual([valid, ['validate']]);
  });

  test('by several runs at once but one', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => validate()));
    expect(results).toEqual(results.map(() => valid));
    expect(readdirSync(cache)).toEqual(['validate']);
    expect(await validate()).toEqual(valid);
  });

  test('by runs that are killed at any moment', async () => {
    for (const killAfterMs of [40, 80, 120, 160, 200]) await validate({ killAfterMs });
    expect(await validate()).toEqual(valid);
  });
});

describe('a program that has changed never runs the code of the old one', () => {
  const chunk = () => {
    const name = readdirSync(join(dist, 'chunks')).find((each) => each.startsWith('validate-'));
    return join(dist, 'chunks', name ?? 'none');
  };
  const change = (path: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(' is valid: ', ' is VALID: '));
  let path = '';
  let text = '';
  beforeEach(async () => {
    rmSync(cache, { recursive: true, force: true });
    path = chunk();
    text = readFileSync(path, 'utf8');
    expect(await validate()).toEqual(valid);
    return () => writeFileSync(path, text);
  });
  const changed = { ...valid, stdout: valid.stdout.replace('valid', 'VALID') };

  test('after a change of a chunk by hand', async () => {
    change(path);
    expect(await validate()).toEqual(changed);
    expect(await validate()).toEqual(changed);
  });

  test('after a build that gives files of the same names, lengths and times', async () => {
    const { atime, mtime } = statSync(path);
    change(path);
    lutimesSync(path, atime, mtime);
    const entry = join(dist, 'roster.cjs');
    const before = readFileSync(entry, 'utf8');
    writeFileSync(entry, before.replace(/__build="./, '__build="-'));
    expect(await validate()).toEqual(changed);
    expect(await validate()).toEqual(changed);
    writeFileSync(entry, before);
  });
});

test('the package contains no cache', async () => {
  const own = join(dirname(program), 'cache');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  writeFileSync(join(own, 'version'), '', { mode: 0o600 });
  const names = packedFiles().files.map(({ path }) => path);
  expect(names).toContain('dist/roster.cjs');
  expect(names.filter((each) => each.startsWith('dist/cache'))).toEqual([]);
});
