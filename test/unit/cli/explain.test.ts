import { beforeEach, expect, test } from 'vitest';
import { codeTexts } from '../../../src/view/code-texts.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';

let workspace: Workspace;
beforeEach(() => {
  workspace = new Workspace({}, { url: 'http://127.0.0.1:9', apiKey: '' });
});

test('explain says what a code means and what to do, without a project', async () => {
  const { exit, stdout } = await workspace.command(['explain', 'unknown-agent', 'locked']);
  expect(exit).toBe(0);
  expect(stdout.split('\n\n').map((each) => each.split('\n')[0])).toEqual([
    'unknown-agent: Unknown agent',
    expect.stringMatching(/^\w/),
    expect.stringMatching(/^What to do: /),
    expect.stringMatching(/^locked: /),
    expect.stringMatching(/^\w/),
    expect.stringMatching(/^What to do: /),
  ]);
});

test('explain without a code lists every code with its title', async () => {
  const { stdout } = await workspace.command(['explain']);
  const codes = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(codes).toEqual(Object.keys(codeTexts).sort());
});

test('explain prints JSON, too', async () => {
  const { stdout } = await workspace.command(['explain', 'locked', '--format', 'json']);
  expect(jsonOf({ stdout })).toEqual({ formatVersion: 1, codes: [{ code: 'locked', ...codeTexts.locked }] });
});

test('explain of an unknown code says how to list the codes', async () => {
  const { exit, stderr } = await workspace.command(['explain', 'toString']);
  expect(exit).toBe(1);
  expect(stderr).toContain('there is no diagnostic code "toString"');
  expect(stderr).toContain('Run `roster explain`');
});

test('the command that an error names explains its code', async () => {
  workspace.write('roster.yaml', 'project: a\ngroups:\n  shops: { membres: [x] }\n');
  const { stderr } = await workspace.command(['validate']);
  const [, line = ''] = /^Learn more: roster (.*)$/m.exec(stderr) ?? [];
  expect(line).toBe('explain unknown-property');
  expect((await workspace.command(line.split(' '))).stdout).toMatch(/^unknown-property: /);
});
