import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseSeed } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { roster } from '../support/program.js';
import { Remote } from '../support/repository.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const names = readdirSync(examples);

describe.each(names)('examples/%s', (name) => {
  test('validates, plans, applies, and then has an empty plan', async () => {
    // In a repository: where the inventory is a branch, it has a remote to go to.
    const remote = new Remote();
    const clone = remote.clone();
    cpSync(join(examples, name), clone, { recursive: true });
    const seed = join(clone, 'seed.json');
    const sandbox = await startSandbox(
      existsSync(seed) ? { seed: parseSeed(readFileSync(seed, 'utf8')) } : {},
    );
    const workspace = new Workspace({}, sandbox);
    cpSync(clone, workspace.root, { recursive: true });
    const run = async (...args: string[]) => {
      const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.world.apiKey };
      Object.assign(workspace.env, env);
      // In this process, it is much faster.
      const ended = isLong ? await roster(args, { cwd: workspace.root, env }) : await workspace.command(args);
      return { exit: ended.exit, stderr: ended.stderr.match(/^error.*/gm) };
    };
    const fine = { exit: 0, stderr: null };
    expect(await run('fmt', '--check')).toEqual(fine);
    expect(await run('validate')).toEqual(fine);
    expect(await run('plan', '--allow-self-revoke')).toEqual(fine);
    expect(await run('apply', '--yes', '--allow-self-revoke')).toEqual(fine);
    expect(await run('plan', '--detailed-exitcode')).toEqual(fine);
  });
});

test('examples/migration adopts all existing objects and sends nothing', async () => {
  const cwd = join(examples, 'migration');
  const sandbox = await startSandbox({ seed: parseSeed(readFileSync(join(cwd, 'seed.json'), 'utf8')) });
  const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
  const { stdout } = await roster(['plan', '--format', 'json'], { cwd, env });
  const { changes } = jsonOf({ stdout }) as { changes: { action: string; calls: unknown[] }[] };
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.filter(({ action, calls }) => action !== 'adopt' || calls.length > 0)).toEqual([]);
});
