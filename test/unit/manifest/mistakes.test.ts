import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { load } from './project.js';

const small = 'project: p\ngroups:\n  shops: { members: [] }\npipelines:\n  nightly: { stages: [a] }\n';
const schedule = (lines: string) => `${small}schedules:\n  s:\n${lines.replace(/^/gm, '    ')}\n`;
const from = 'startTime: 2099-01-01T00:00:00';

/** Everything that is told of a project, by its line: code, message, help. */
function told(text: string): string[] {
  return load(text, { kinds }).diagnostics.map(
    ({ place, code, message, help }) => `${place?.line} ${code}: ${message}${help ? ` | ${help}` : ''}`,
  );
}

describe('one property with a mistake hides none of the others', () => {
  it('in a schedule', () => {
    const lines = `target: grup/shops\nevery: 6 huors\nstartTime: 6:00\ntimeZone: Europe/Berln`;
    expect(told(schedule(lines)).map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '8 schema',
      '9 invalid-time',
      '10 invalid-time',
      '11 invalid-time-zone',
    ]);
  });

  it('in a key', () => {
    const text = `${small}keys:\n  k:\n    name: 5\n    scopes: [agents.rnu]\n    rotateAfter: 90 dasy\n`;
    expect(told(text).map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '8 schema',
      '9 unknown-scope',
      '10 invalid-time',
    ]);
  });

  it('and what is wrong already is not told again', () => {
    expect(told(schedule(`target: agent/a\nevery: \${var.nope}\n${from}\ntimeZone: [UTC]`))).toEqual([
      expect.stringMatching(/^9 unknown-variable/),
      expect.stringMatching(/^11 schema: `timeZone` must be text, not a list/),
    ]);
  });
});

describe('a target that leads nowhere gets the nearest that there is', () => {
  it.each<[string, string]>([
    ['grup/shops', 'Did you mean "group/shops"?'],
    ['groups/shops', 'Did you mean "group/shops"?'],
    ['groups/shpos', 'Did you mean "group/shops"?'],
    ['Group/shops', 'Did you mean "group/shops"?'],
    ['pipline/shops', 'Did you mean "group/shops"?'],
    ['pipelines/nigthly', 'Did you mean "pipeline/nightly"?'],
    ['agents/acme', 'Did you mean "agent/acme"?'],
    ['shops', 'Did you mean "group/shops"?'],
    ['acme', 'An agent of that name is "agent/acme".'],
    ['group/', 'There are `group/shops`, `pipeline/nightly`.'],
    ['agent/', 'There are `group/shops`, `pipeline/nightly`.'],
    ['group/shosp', 'Did you mean `group/shops`?'],
    ['pipeline/shops', 'Did you mean `group/shops`?'],
    ['group/s', "Declare the group in this project; with `external: true` if it is someone else's."],
    ['group/k', "Declare the group in this project; with `external: true` if it is someone else's."],
  ])('%s', (target, help) => {
    const key = 'keys: { k: { scopes: full } }\n';
    const { diagnostics } = load(`${schedule(`target: ${target}\nevery: 1 day\n${from}`)}${key}`, { kinds });
    expect(diagnostics.map((each) => each.help)).toEqual([help]);
  });
});
