// Shows roster's main job on a real project: npm run demo. Cleans up however it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './fresh.js';
import { bundle } from './products.js';

const program = join(root, 'dist/roster.cjs');
/** Without the user's own settings. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('ROSTER_')),
);
const running = new Set<ChildProcess>();
let stopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.kill('SIGTERM');
  });
}

await bundle();
const folder = await mkdtemp(join(tmpdir(), 'roster-demo-'));
try {
  await cp(join(root, 'examples/quickstart'), folder, { recursive: true });
  await show();
  say('Done: every step ended as expected.');
} catch (error) {
  process.exitCode = stopped ? 130 : 1;
  if (!stopped) console.error(`\ndemo: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await Promise.all([...running].map(end));
  await rm(folder, { recursive: true, force: true });
}

async function show(): Promise<void> {
  say('A project of two groups, a pipeline and three schedules (examples/quickstart):');
  console.log(await readFile(join(folder, 'roster.yaml'), 'utf8'));
  say('A local instance of the service:');
  const service = await startSandbox();
  const roster = (line: string, expected: number) => step(line, expected, service);

  await roster('roster validate', 0);
  await roster('roster plan', 0);
  await roster('roster apply --yes', 0);
  say('The service now matches the manifests:');
  await roster('roster plan --detailed-exitcode', 0);
  await edit('members: [acme-shop, globex, initech]', 'members: [acme-shop, globex, umbrella-pharma]');
  say('The change as a reviewer sees it (exit code 2 means that there are changes):');
  await roster('roster plan --detailed-exitcode', 2);
  await roster('roster apply --yes', 0);
  await roster('roster plan --detailed-exitcode', 0);
  const members = 'members: [acme-shop, globex, umbrella-pharma]';
  await edit(members, `${members}\n    expect: { columns: [title, price, currency] }`);
  await roster('roster apply --yes', 0);
  say('A run that succeeds, and data that is not as expected (exit code 5):');
  await roster('roster run group/retail-prices', 5);
}

async function startSandbox(): Promise<NodeJS.ProcessEnv> {
  console.log('$ roster sandbox --port 0 &');
  const child = start(['sandbox', '--port', '0'], environment, ['ignore', 'pipe', 'pipe']);
  const [url, key] = await readAddress(child);
  console.log(`\n$ export ROSTER_URL=${url} ROSTER_API_KEY=${key}\n`);
  return { ...environment, ROSTER_URL: url, ROSTER_API_KEY: key };
}

/** The address and the key that the sandbox prints when it is ready. */
function readAddress(child: ChildProcess): Promise<[url: string, key: string]> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      process.stdout.write(chunk);
      const url = /http:\/\/[\w.:[\]]+\d\b/.exec(output)?.[0];
      const key = /svc_live_\w+(?=\W)/.exec(output)?.[0];
      if (url !== undefined && key !== undefined) resolve([url, key]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}

async function step(line: string, expected: number, env: NodeJS.ProcessEnv): Promise<void> {
  console.log(`$ ${line}`);
  const child = start(line.split(' ').slice(1), env, ['ignore', 'inherit', 'inherit']);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (stopped) throw new Error('interrupted');
  if (code !== expected) throw new Error(`\`${line}\` ended with ${code}, not ${expected}`);
  console.log();
}

function start(parameters: string[], env: NodeJS.ProcessEnv, stdio: ('ignore' | 'pipe' | 'inherit')[]) {
  if (stopped) throw new Error('interrupted');
  const child = spawn(process.execPath, [program, ...parameters], { cwd: folder, env, stdio });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function edit(before: string, after: string): Promise<void> {
  const file = join(folder, 'roster.yaml');
  const text = await readFile(file, 'utf8');
  if (!text.includes(before)) throw new Error(`examples/quickstart has no "${before}" to edit`);
  await writeFile(file, text.replace(before, after));
  say(`One edit to roster.yaml:\n${changedLines(before, after)}`);
}

function changedLines(before: string, after: string): string {
  const [removed, added] = [before.split('\n'), after.split('\n')];
  const lines = [
    ...removed.filter((line) => !added.includes(line)).map((line) => `  - ${line.trim()}`),
    ...added.filter((line) => !removed.includes(line)).map((line) => `  + ${line.trim()}`),
  ];
  return lines.join('\n');
}

async function end(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), 3000);
  await closed;
  clearTimeout(timeout);
}

function say(text: string): void {
  console.log(`── ${text}\n`);
}
