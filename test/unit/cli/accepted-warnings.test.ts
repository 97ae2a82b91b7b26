import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { acceptableCodes } from '../../../src/model/diagnostic.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { codesPrinted } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
});
const start = '2099-12-01T06:00:00';
const monday = { target: 'agent/acme-shop', cron: '0 30 2 * * 1', startTime: start };
const declare = (project: object) =>
  workspace.write('roster.yaml', `${JSON.stringify({ project: 'p', ...project }, null, 1)}\n`);
const run = (line: string) => workspace.command(line.split(' '));
const codesOf = async (line: string) => codesPrinted(await run(`${line} --format json`));
const applies = async () => expect(await workspace.apply()).toMatchObject({ exit: 0 });

describe('a warning that an entry accepts', () => {
  const accepting = { ...monday, accept: ['ambiguous-cron'] };

  test.each(['validate', 'plan', 'status', 'drift', 'calendar'])('is not reported by %s', async (command) => {
    declare({ schedules: { s: monday } });
    expect(await codesOf(command)).toContain('ambiguous-cron');
    declare({ schedules: { s: accepting } });
    expect(await codesOf(command)).toEqual([]);
    expect((await run(command)).stderr).not.toContain('ambiguous-cron');
  });

  test('is reported for the other entries', async () => {
    declare({ schedules: { s: accepting, t: { ...monday, cron: '0 30 2 * * 2' } } });
    expect(await codesOf('validate')).toEqual(['ambiguous-cron']);
  });

  test('changes neither the digest nor what is sent', async () => {
    declare({ schedules: { s: monday } });
    const { digest } = await workspace.planJson();
    declare({ schedules: { s: accepting } });
    expect((await workspace.planJson()).digest).toBe(digest);
    sandbox.requests.length = 0;
    await applies();
    const bodies = sandbox.requests.filter(({ method }) => method !== 'GET');
    expect(bodies.length).toBeGreaterThan(0);
    expect(JSON.stringify(bodies)).not.toContain('accept"');
    declare({ schedules: { s: monday } });
    expect((await workspace.planJson()).changes).toEqual([]);
  });

  test('is no annotation', async () => {
    declare({ schedules: { s: accepting } });
    expect((await run('validate --format github')).stdout).toBe('');
    expect((await run('plan --format github')).stdout).not.toContain('ambiguous-cron');
  });

  test.each([
    ['what no agent knows', { inputs: { nope: 1 } }, 'unknown-input'],
    ['a target that is not active', { target: 'group/g' }, 'inactive-target'],
  ])('may be found beside the service: %s', async (_, rest, code) => {
    const schedule = { target: 'agent/acme-shop', every: '1 day', startTime: start, ...rest };
    const groups = { g: { members: ['acme-shop'], active: false } };
    declare({ groups, schedules: { s: schedule } });
    expect(await codesOf('plan')).toEqual([code]);
    declare({ groups, schedules: { s: { ...schedule, accept: [code] } } });
    expect(await codesOf('plan')).toEqual([]);
  });

  test('may be that a time has passed', async () => {
    const schedule = { target: 'agent/acme-shop', once: '2020-01-01T00:00:00' };
    declare({ schedules: { s: schedule } });
    expect(await codesOf('plan')).toEqual(['past-once']);
    declare({ schedules: { s: { ...schedule, accept: ['past-once'] } } });
    expect(await codesOf('plan')).toEqual([]);
  });

  test('may be accepted for all entries by a default, which an entry replaces', async () => {
    const defaults = { schedules: { accept: ['ambiguous-cron'] } };
    declare({ defaults, schedules: { s: monday, t: { ...monday, cron: '0 30 2 * * MON' } } });
    expect(await codesOf('plan')).toEqual([]);
    declare({ defaults, schedules: { s: { ...monday, accept: [] } } });
    expect(await codesOf('plan')).toEqual(['ambiguous-cron']);
  });

  test('may be about a default that accepts it', async () => {
    const { cron, ...rest } = monday;
    declare({ defaults: { schedules: { cron, accept: ['ambiguous-cron'] } }, schedules: { s: rest } });
    expect(await codesOf('validate')).toEqual([]);
  });
});

test('the schema lists the warnings that can be accepted', () => {
  const { accept } = JSON.parse(readFileSync('schemas/project.schema.json', 'utf8')).definitions;
  expect(accept.anyOf[0].items.anyOf[0].enum).toEqual(acceptableCodes);
});

describe('an acceptance that does not apply', () => {
  test.each([
    ['what the entry no longer says', 'ambiguous-cron', ['unused-acceptance']],
    ['what the service and the clock decide', 'inactive-target', []],
    ['what comes with time', 'past-once', []],
  ])('is a warning for %s', async (_, code, expected) => {
    declare({ schedules: { s: { ...monday, cron: '0 30 2 * * MON', accept: [code] } } });
    expect(await codesOf('validate')).toEqual(expected);
  });

  test.each([
    ['a merge key', 'x-c: &c { accept: [ambiguous-cron] }', '<<: *c'],
    ['an anchor', 'x-c: &c [ambiguous-cron]', 'accept: *c'],
    ['a variable', 'vars: { c: [ambiguous-cron] }', 'accept: "${var.c}"'],
  ])('is no warning where it comes from %s, which others may need', async (_, shared, property) => {
    const entry = `target: agent/acme-shop, cron: 0 30 2 * * MON, startTime: "${start}", ${property}`;
    workspace.write('roster.yaml', `project: p\n${shared}\nschedules:\n  s: { ${entry} }\n`);
    expect(await codesOf('validate')).toEqual([]);
  });

  test('to an error, a risk or an unknown code is an error with a suggestion', async () => {
    declare({ schedules: { s: { ...monday, accept: ['ambigous-cron', 'too-frequent'] } } });
    const { exit, stderr } = await run('validate');
    expect(exit).toBe(1);
    expect(stderr).toContain('Did you mean `ambiguous-cron`?');
    expect(stderr).toContain('not "too-frequent"');
  });

  test('leaves the risk of schedules that start too often', async () => {
    const schedule = { target: 'agent/acme-shop', every: '1 minute', startTime: start };
    declare({ schedules: { s: { ...schedule, inputs: { nope: 1 }, accept: ['unknown-input'] } } });
    const { changes, diagnostics } = await workspace.planJson();
    expect(changes[0]?.risks.map(({ code }) => code)).toContain('too-frequent');
    expect(diagnostics.map(({ code }) => code)).toEqual(['too-frequent']);
  });
});

describe('warnings of unchanged resources', () => {
  const others = { every: '1 day', startTime: start };
  const two = { a: monday, b: { ...monday, cron: '0 30 3 * * 2' } };
  const rest = (command = '') =>
    `2 warnings of unchanged resources are not shown (2 ambiguous-cron); \`${command}-v\` shows them.`;
  beforeEach(async () => {
    declare({ schedules: two });
    await applies();
  });

  test.each(['plan', 'status', 'drift', 'apply --yes'])('are one line of %s, unless -v', async (command) => {
    const { stderr } = await run(command);
    expect(stderr.trim()).toBe(rest());
    expect((await run(`${command} -v`)).stderr.match(/^warning\[ambiguous-cron\]/gm)).toHaveLength(2);
    expect(await codesOf(command)).toEqual(['ambiguous-cron', 'ambiguous-cron']);
  });

  test.each(['plan', 'status', 'drift'])('are the same line in the Markdown of %s', async (command) => {
    const { stdout } = await run(`${command} --format markdown`);
    expect(stdout).toContain(rest(`roster ${command} `));
    expect(stdout).not.toContain('### Warnings');
    expect((await run(`${command} --format markdown -v`)).stdout).toMatch(/### Warnings\n\n(- .*\n){2}/);
  });

  test('are the same line in the HTML page of a plan', async () => {
    const { stdout } = await run('plan --format html');
    expect(stdout).toContain(
      '<p>2 warnings of unchanged resources are not shown (2 ambiguous-cron); <code>roster plan -v</code> shows them.</p>',
    );
    expect(stdout).toContain('Problems (0)');
    expect((await run('plan --format html -v')).stdout).toContain('Problems (2)');
  });

  test('do not hide those of what changes', async () => {
    declare({ schedules: { ...two, b: { ...two.b, enabled: false } } });
    const { stderr } = await run('plan');
    expect(stderr.match(/^warning\[/gm)).toHaveLength(1);
    expect(stderr).toContain('0 30 3 * * 2');
    expect(stderr).toMatch(
      /\n1 warning\n1 warning of unchanged resources is not shown \(ambiguous-cron\); `-v` shows it\.\n$/,
    );
  });

  test('are those of entries that were not selected', async () => {
    declare({ schedules: { ...two, c: { target: 'agent/acme-shop', ...others } } });
    expect((await run('plan schedule/c')).stderr.trim()).toBe(rest());
  });

  test('are not those of an entry that was never created', async () => {
    declare({ schedules: { s: { target: 'agent/acme-shop', once: '2020-01-01T00:00:00' } } });
    expect((await run('plan')).stderr).toContain('warning[past-once]');
  });

  test('are not those of an entry whose target changes', async () => {
    const schedules = { c: { target: 'group/g', ...others } };
    declare({ groups: { g: { members: ['acme-shop'] } }, schedules });
    await applies();
    declare({ groups: { g: { members: ['acme-shop'], active: false } }, schedules });
    expect((await run('plan')).stderr).toContain('warning[inactive-target]');
    await applies();
    expect((await run('plan')).stderr).toMatch(/^1 warning of unchanged resources is not shown/);
  });

  test('are not those of a value that another entry, which changes, shares', async () => {
    const shared = (b: string) => `project: p
x-c: &c { target: agent/acme-shop, cron: "0 30 2 * * 1", startTime: "${start}" }
schedules:
  a: { <<: *c, inputs: { country: DE } }
  b: { <<: *c, inputs: { country: ${b} } }
`;
    workspace.write('roster.yaml', shared('FR'));
    await applies();
    expect((await run('plan')).stderr).toMatch(/^1 warning of unchanged resources is not shown/);
    workspace.write('roster.yaml', shared('IT'));
    expect((await run('plan')).stderr).toContain('warning[ambiguous-cron]');
  });

  test('are not what the service says: that is news', async () => {
    const [first] = sandbox.world.schedules.values();
    if (first === undefined) throw new Error('no schedule');
    sandbox.world.schedules.set('copy', { ...first, id: 999 } as never);
    const { stderr } = await run('plan');
    expect(stderr).toContain('warning[duplicate-object]');
    expect(stderr).toContain(rest());
  });
});
