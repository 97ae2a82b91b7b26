import { beforeEach, expect, test } from 'vitest';
import { healths } from '../../../src/model/run.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const manifest = `project: p
environments: { staging: {}, "bad name": {} }
include: [more.yaml, missing.yaml, "\${var.x}"]
groups:
  shops: { members: [], description: "\${env.SECRET_OF_SHOPS}" }
  shops-de: {}
schedules:
  "a;b": {}
`;

const agents = `groups:
  shops: { members: [acme-shop, "Two words", "\${var.shop}"] }
pipelines:
  nightly: { stages: [globex, acme-shop] }
schedules:
  daily: { target: agent/umbrella }
  weekly: { target: group/shops }
`;

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  const files = { 'roster.yaml': manifest, 'more.yaml': 'keys:\n  ci: {}\n', 'broken.yaml': 'project: [' };
  workspace = new Workspace(
    { ...files, 'other.yaml': 'pipelines: { nightly: {} }\n', 'agents.yaml': agents },
    sandbox,
  );
  workspace.env['SECRET_OF_SHOPS'] = 'not for the terminal';
});

/** The words that are offered for the last one; `:files` when files are. */
async function offered(line: string): Promise<string[]> {
  const { exit, stdout, stderr } = await workspace.command(['__complete', '--', ...line.split(' ')]);
  expect([exit, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  return lines.map((each) => each.replace(/\t.*/, '')).filter((each) => each !== ':end');
}

test.each([
  ['pl', ['plan']],
  ['--v', ['--version']],
  ['nothing ', []],
  ['plan ', ['group/', 'key/']],
  ['plan group/', ['group/shops', 'group/shops-de']],
  ['plan group/shops group/', ['group/shops-de']],
  ['plan -v -- group/shops-', ['group/shops-de']],
  ['plan -f other.yaml ', ['pipeline/']],
  ['plan --file=other.yaml ', ['pipeline/']],
  ['plan -f broken.yaml ', []],
  ['plan -f none.yaml ', []],
  ['why group/shops ', ['group/', 'key/']],
  ['plan -e ', ['staging']],
  ['plan --env=', ['--env=staging']],
  ['plan --pr', ['--prune']],
  ['plan --prune all --pr', []],
  ['plan --prune ', ['owned', 'all', 'never']],
  ['snapshot --prune ', []],
  ['plan --format=mark', ['--format=markdown']],
  ['graph --format ', ['text', 'mermaid', 'dot', 'json']],
  ['explain too-many-r', ['too-many-runs']],
  ['explain too-many-runs too-many-r', []],
  ['fmt --write j', ['json=']],
  ['fmt --write json=', [':files']],
  ['fmt --write json=a --wr', ['--write']],
  ['plan --out ', [':files']],
  ['plan -f ', [':files']],
  ['plan --url ', []],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['runs ', ['show', 'refresh', 'stop', 'retry', 'ack', 'rm', 'group/', 'key/']],
  ['runs s', ['show', 'stop']],
  ['runs group/shops-', ['group/shops-de']],
  ['runs --state f', ['failed']],
  ['runs --state failed r', []],
  ['runs --state ', ['active', 'succeeded', 'failed']],
  ['runs show ', []],
  ['runs ack --un', ['--undo']],
  ['runs show --st', []],
  [
    'data ',
    ['preview', 'query', 'sample', 'check', 'get', 'lineage', 'share', 'rm', 'queries', 'group/', 'key/'],
  ],
  ['data q', ['query', 'queries']],
  ['data group/shops-', ['group/shops-de']],
  ['data --all r', []],
  ['data query group/shops-', ['group/shops-de']],
  ['data query --wh', ['--where']],
  ['data query --where x --wh', ['--where']],
  ['data --wh', []],
  ['data share ', []],
  ['data get --out ', [':files']],
  ['run agent/acme-shop --save ', [':files']],
  ['pull --out ', [':files']],
  ['status --fail-on m', ['missed']],
  ['status --fail-on failing,', healths.slice(1).map((health) => `failing,${health}`)],
  ['status --fail-on=failing,mi', ['--fail-on=failing,missed']],
  ['status --fail-on nothing,mi', ['nothing,missed']],
  ['run -f agents.yaml ', ['group/', 'pipeline/', 'schedule/', 'agent/']],
  ['run -f agents.yaml agent/', ['agent/acme-shop', 'agent/globex', 'agent/umbrella']],
  ['run -f agents.yaml agent/globex agent/', ['agent/acme-shop', 'agent/umbrella']],
  ['wait -f agents.yaml agent/g', ['agent/globex']],
  ['runs -f agents.yaml agent/g', ['agent/globex']],
  ['runs retry -f agents.yaml 4711 ', ['agent/']],
  ['runs retry -f agents.yaml 4711 agent/g', ['agent/globex']],
  ['data get -f agents.yaml agent/g', ['agent/globex']],
  ['hold -f agents.yaml agent/g', ['agent/globex']],
  ['plan -f agents.yaml agent/', []],
  ['data lineage --format ', ['text', 'mermaid', 'dot', 'json']],
  ['data queries ', ['save', 'run', 'rm']],
  ['data queries r', ['run', 'rm']],
  ['data queries save ', []],
  ['data queries save --o', ['--of']],
  ['data queries rm --y', ['--yes']],
  ['calendar --zone Europe/Berl', ['Europe/Berlin']],
])('after "roster %s", Tab offers %j', async (line, expected) => {
  expect(await offered(line)).toEqual(expected);
});

test('every command and every flag is offered, with what it does', async () => {
  const { stdout } = await workspace.command(['__complete', '--', '']);
  expect(stdout).toContain('plan\tShow the difference');
  expect(stdout).not.toContain('__complete');
  expect((await offered('apply --')).sort()).toEqual(
    [...(await workspace.command(['apply', '--help'])).stdout.matchAll(/^ {2}(?:-., )?(--[\w-]+)/gm)]
      .map(([, flag]) => flag)
      .sort(),
  );
});

test('completion sends no request', async () => {
  expect(await offered('why group/')).not.toEqual([]);
  expect(sandbox.requests).toEqual([]);
});

test('the words to complete may be flags, also without `--` before them', async () => {
  const { exit, stdout, stderr } = await workspace.command(['__complete', '--help']);
  expect([exit, stdout, stderr]).toEqual([0, '--help\tShow help\n:end\n', '']);
});
