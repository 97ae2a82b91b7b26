import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { everyCommand, fullName } from '../../../src/cli/command/tree.js';
import { commands as definitions } from '../../../src/cli/commands.js';
import { buildProgram } from '../../../src/cli/program.js';
import { schemas } from '../../../src/engine/schemas.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { Saves } from '../../support/saves.js';
import { isLong } from '../../support/size.js';

const names = definitions.map(({ name }) => name);
const commands = everyCommand(buildProgram(definitions, {} as never, () => undefined));

/** What the examples name. */
const manifest = `project: p
environments: { staging: {}, production: {} }
groups:
  retail-prices: { members: [acme-shop] }
pipelines:
  daily: { stages: [acme-shop] }
schedules:
  nightly: { target: group/retail-prices, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;

let sandbox: Sandbox;
/** Help needs no service; the examples get one. */
let workspace = new Workspace(
  { 'roster.yaml': manifest },
  { url: 'http://127.0.0.1:1', apiKey: 'svc_live_none' },
);

test.each(definitions)(
  'the help of $name has two or three examples, exit codes and a page that exists',
  ({ examples, exits, docs }) => {
    expect([2, 3]).toContain(examples.length);
    expect(Object.keys(exits)).toEqual(expect.arrayContaining(['0', '1']));
    // test/docs/links.test.ts finds the heading.
    const [page = docs] = docs.split('#');
    expect(existsSync(join(import.meta.dirname, '../../..', page))).toBe(true);
  },
);

test.each(names)('the help of %s lists the values of each choice', async (name) => {
  const { stdout } = await workspace.command([...name.split(' '), '--help']);
  const command = commands.find((each) => fullName(each) === name);
  const choices = [...(command?.options ?? []), ...(command?.registeredArguments ?? [])].flatMap(
    ({ argChoices }) => argChoices ?? [],
  );
  expect(choices.filter((each) => !stdout.includes(each))).toEqual([]);
  expect(stdout).toContain('Examples:');
});

test('the choices are those that the commands accept', async () => {
  const schema = commands.find((each) => each.name() === 'schema');
  expect(schema?.registeredArguments[0]?.argChoices).toEqual([...schemas.keys()]);
  for (const command of commands)
    for (const option of command.options.filter(({ argChoices }) => argChoices !== undefined))
      if (option.long !== '--write')
        expect((await refusal(fullName(command), option.long ?? '')).split(/\W+/)).toEqual(
          expect.arrayContaining([...(option.argChoices ?? [])]),
        );
});

/** What a command answers to a value that no flag has. */
async function refusal(name: string, flag: string): Promise<string> {
  const address = ['group/retail-prices'];
  const byName: Readonly<Record<string, readonly string[]>> = {
    why: address,
    move: [...address, '--to', 'other.yaml'],
    run: address,
    wait: address,
    completion: ['bash'],
    apply: ['--yes'],
    api: ['/api/x'],
    'runs show': ['1'],
    'runs refresh': ['1'],
    'runs stop': ['1'],
    'runs retry': ['1', 'agent/acme-shop'],
    'runs ack': ['1'],
    'runs rm': ['1'],
    'data preview': ['1'],
    'data query': ['1'],
    'data sample': address,
    'data get': ['1'],
    'data lineage': ['1'],
    'data share': ['1'],
    'data queries save': ['q'],
    'data queries run': ['q'],
    'data queries rm': ['q'],
  };
  const words = byName[name] ?? [];
  const { exit, stderr } = await workspace.command([...name.split(' '), ...words, flag, 'nothing']);
  expect([name, flag, exit]).toEqual([name, flag, 1]);
  return stderr;
}

/** As a shell splits it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Only an inventory in git has a log. */
async function applyInGit(): Promise<void> {
  initWithOrigin(workspace.root);
  workspace.env['ROSTER_INVENTORY'] = 'git:refs/heads/inventory@origin';
  expect((await workspace.apply()).exit).toBe(0);
}

const saves = new Saves();

/** What runs exists, and takes no time. */
async function applied(): Promise<void> {
  workspace.sleep = async (milliseconds) => sandbox.advance(milliseconds);
  await saves.begin('applied', sandbox, workspace, () => workspace.apply());
}

/** All of it has run. */
async function worked(): Promise<void> {
  await saves.begin('worked', sandbox, workspace, async () => {
    await applied();
    await workspace.command(['run', 'group/retail-prices', 'agent/acme-shop', 'pipeline/daily']);
  });
  workspace.sleep = async (milliseconds) => sandbox.advance(milliseconds);
}

/** What the examples of `runs` name: finished runs, in which nothing has failed. */
async function finishedRuns(line: string): Promise<string> {
  if (!line.startsWith('roster runs ') || !line.includes('"$')) return line;
  await worked();
  const { groupRuns, jobs, pipelineRuns } = sandbox.world;
  const ids = { GROUP_RUN: groupRuns, JOB: jobs, PIPELINE_RUN: pipelineRuns };
  return Object.entries(ids).reduce(
    (text, [name, runs]) => text.replace(`"$${name}"`, [...runs.keys()].at(-1) ?? ''),
    line,
  );
}

/** What the examples of `data` name: a dataset, and a saved query of it. */
async function storedData(line: string): Promise<string> {
  if (!line.startsWith('roster data')) return line;
  await worked();
  const [id = ''] = sandbox.world.datasets.keys();
  if (!line.includes(' save ')) await workspace.command(['data', 'queries', 'save', 'cheap', '--of', id]);
  return line.replace('"$DATASET"', id);
}

const SNAPSHOT = 'roster.snapshot.json';

async function withDigest(line: string, name: string): Promise<string> {
  if (!line.includes('"$DIGEST"')) return line;
  const { digest } = await workspace.planJson({ destroy: name === 'destroy' });
  return line.replace('"$DIGEST"', digest);
}

/** Nothing has failed, and no member has not started. */
const idle = ['runs ack', 'runs retry'];

/** Without what the shell does with their output, without `ci`, which works in a job only, and `move`, which needs two projects. */
const examples = definitions
  .filter(({ name }) => !/^(ci|move)\b/.test(name))
  .flatMap(({ name, examples: lines, exits }) =>
    // An apply into git, which each example of `log` needs, takes dozens of processes.
    (name === 'log' && !isLong ? lines.slice(0, 1) : lines).map(([, line]) => ({
      name,
      exits,
      line: line.replace(/^source <\((.*)\)$/, '$1').replace(/ > .*/, ''),
    })),
  );

describe('the examples in the help', () => {
  beforeEach(async () => {
    sandbox = await startSandbox();
    workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  });

  test.each(examples)(
    '$line runs, and exits with a code that its help lists',
    async ({ name, line, exits }) => {
      if (name === 'fmt') await workspace.command(['fmt']);
      if (name === 'log') await applyInGit();
      if (line.includes(SNAPSHOT)) await workspace.command(['snapshot', '--out', SNAPSHOT]);
      if (['run', 'wait', 'runs', 'hold'].includes(name)) await applied();
      const named = await storedData(await finishedRuns(line));
      const words = wordsOf(await withDigest(named, name)).slice(1);
      // The port of the sandbox may be in use.
      const free = name === 'sandbox' && !line.includes('--port') ? ['--port', '0'] : [];
      if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
      const { exit, stderr } = await workspace.command([...words, ...free]);
      const isHold = /^roster hold /.test(line) && !line.endsWith('--yes');
      const isRemoval = name === 'runs rm' && !line.endsWith('--yes');
      const asks = isRemoval || line === 'roster apply' || line === 'roster destroy -e staging' || isHold;
      const expected = asks || idle.includes(name) ? 1 : 0;
      expect([exit, stderr.includes('error[not-confirmed]')], stderr).toEqual([expected, asks]);
      expect(Object.keys(exits)).toContain(String(exit));
    },
  );
});
