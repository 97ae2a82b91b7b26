import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { agentsWith, PROJECT, type RunWorld, runWorld } from '../support/runs.js';
import { workflowFindings } from '../support/workflow-lint.js';

/** The workflow of docs/run.md that tries a schedule in a pull request. */

const page = readFileSync(join(import.meta.dirname, '../../docs/run.md'), 'utf8');
const text = /```yaml\n(name: roster try\n.*?)^```$/ms.exec(page)?.[1] ?? '';
const { jobs, permissions } = parse(text);

let world: RunWorld | undefined;
afterEach(() => world?.close());

test('the recipe for pull requests is a workflow that GitHub accepts, with the key in its last step only', async () => {
  expect(
    await workflowFindings(text.replace('OWNER/REPOSITORY@COMMIT', `acme/roster@${'0'.repeat(40)}`)),
  ).toEqual([]);
  const withKey = jobs.try.steps.map((step: { env?: object }) => 'ROSTER_API_KEY' in (step.env ?? {}));
  expect(withKey).toEqual([false, false, false, true]);
  expect([permissions, jobs.try.environment]).toEqual([{ contents: 'read' }, 'try']);
  expect(jobs.try.if).toContain('head.repo.full_name == github.repository');
});

test('the steps of the recipe run, with the inputs of the pull request, and change nothing else', async () => {
  world = await runWorld(agentsWith({}));
  const { workspace, sandbox } = world;
  // As it is applied, then as the pull request changes it.
  const main = PROJECT.replace('  agent: {', '  nightly: {');
  workspace.write('roster.yaml', main);
  expect((await workspace.apply()).exit).toBe(0);
  sandbox.requests.length = 0;
  workspace.write('roster.yaml', main.replace('country: FR', 'country: PL'));
  const key = workspace.env['ROSTER_API_KEY'] ?? '';
  const exits: number[] = [];
  for (const { run, env } of jobs.try.steps) {
    if (run === undefined) continue;
    delete workspace.env['ROSTER_API_KEY'];
    if (env !== undefined) workspace.env['ROSTER_API_KEY'] = key;
    const { exit } = await workspace.command(run.split(' ').slice(1));
    exits.push(exit);
  }
  expect(exits).toEqual([0, 0]);
  expect([...sandbox.world.jobs.values()].map(({ inputParameters }) => inputParameters)).toEqual([
    '{"country":"PL"}',
  ]);
  const writes = sandbox.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);
  expect(writes).toEqual([expect.stringMatching(/start-job$/)]);
});
