import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';

const good = 'project: p\ninclude: [teams/a.yaml]\ninventory: { file: state.json }\n';
const files = {
  'roster.yaml': good,
  'teams/a.yaml': 'groups: { g: { members: [] } }\n',
  'state.json': '',
  'before.json': 'as it was',
};

function workspace(more: Readonly<Record<string, string>> = {}): Workspace {
  const made = new Workspace({ ...files, ...more }, { url: 'http://127.0.0.1:1', apiKey: 'svc_live_test' });
  symlinkSync('teams', join(made.root, 'link'));
  return made;
}

describe('an output never overwrites a file of the project, or another output', () => {
  test.each<[string, string]>([
    ['validate --write json=roster.yaml', '"roster.yaml" is a file of the project itself'],
    ['validate --write json=./teams/../roster.yaml', 'is a file of the project itself'],
    ['validate --write json=teams/a.yaml', '"teams/a.yaml" is a file of the project itself'],
    ['validate --write json=link/a.yaml', '"link/a.yaml" is a file of the project itself'],
    ['validate --write json=state.json', '"state.json" is a file of the project itself'],
    ['validate --write json=state.json.lock', '"state.json.lock" is a file of the project itself'],
    ['plan --out roster.yaml', '--out: "roster.yaml" is a file of the project itself'],
    ['apply --yes --report state.json', '--report: "state.json" is a file of the project itself'],
    ['validate --write json=x --write sarif=./x', '--write: "./x" is already written by --write'],
    ['validate --write json=teams/x --write sarif=link/x', '"link/x" is already written by --write'],
    ['plan --out before.json --write json=before.json', '"before.json" is already written by --write'],
    ['validate --write json=-', '--write: "-" is not a file'],
  ])('%s', async (line, message) => {
    const here = workspace();
    const { exit, stderr } = await here.command(line.split(' '));
    expect([exit, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(here.root, name), 'utf8')).toBe(text);
  });

  test.each<[string, string, string]>([
    ['broken YAML', 'roster.yaml', 'project: [\n'],
    ['a setting that is wrong', 'roster.inventory.json', `${good}prune: no\n`],
    ['broken YAML in an included file', 'teams/a.yaml', good],
  ])('however wrong the project is: %s', async (_, output, text) => {
    const here = workspace({ 'teams/a.yaml': 'groups: [\n', 'roster.yaml': text });
    const { exit, stderr } = await here.command(['validate', '--write', `json=${output}`]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('is a file of the project')]);
  });

  test('a file of another name is written', async () => {
    const here = workspace();
    const { exit } = await here.command(['validate', '--write', 'json=before.json']);
    expect(exit).toBe(0);
    expect(JSON.parse(readFileSync(join(here.root, 'before.json'), 'utf8'))).toMatchObject({ valid: true });
  });
});
