import { expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { load, problems, summary } from './project.js';

const schedule = 'target: agent/a, once: "2999-12-01T00:00:00"';

test('a wrong default is reported once, where it is written, whatever the number of entries', () => {
  const entries = Array.from(
    { length: 20 },
    (_, i) => `  s${i}: { ${schedule.replace('01T', `0${1 + (i % 9)}T`)} }`,
  );
  const text = `project: p
defaults: { schedules: { timeZone: Mars/Base, enabled: 7, foo: 1 } }
schedules:
${entries.join('\n')}
`;
  const found = load(text, { kinds }).diagnostics;
  expect(found.filter(({ place }) => place?.line === 2).map(summary)).toEqual([
    'roster.yaml:2:36 invalid-time-zone «Mars/Base»',
    'roster.yaml:2:56 schema «7»',
    'roster.yaml:2:59 unknown-property «foo»',
  ]);
});

test('a default that no entry uses is checked, and one of another environment as well', () => {
  const text = `project: p
defaults: { schedules: { cron: "never" } }
environments: { staging: { defaults: { groups: { activ: true } } } }
`;
  expect(problems(text, { kinds })).toEqual([
    'roster.yaml:2:32 invalid-cron «"never"»',
    'roster.yaml:3:50 unknown-property «activ»',
  ]);
});

test('defaults leave out what excludes a property of the entry', () => {
  const text = `project: p
defaults:
  groups: { description: ours, protect: true }
  schedules: { every: 1 hour, startTime: "2999-12-01T00:00:00" }
groups:
  theirs: { external: true, id: 7 }
schedules:
  once: { ${schedule} }
  cron: { target: agent/a, cron: "0 0 5 * * MON" }
`;
  const { project, diagnostics } = load(text, { kinds });
  expect(diagnostics).toEqual([]);
  const used = project?.entries.map(({ address, defaulted = [] }) => [
    address,
    defaulted.map(({ property }) => property),
  ]);
  expect(used).toEqual([
    ['group/theirs', []],
    ['schedule/once', []],
    ['schedule/cron', ['startTime']],
  ]);
});

test('the defaults of an environment win over those of the project, property by property', () => {
  const text = `project: p
defaults: { groups: { description: ours, active: false } }
environments: { staging: { defaults: { groups: { active: true } } } }
groups: { g: { members: [] } }
`;
  const { project } = load(text, { kinds, environment: 'staging' });
  expect(project?.entries[0]?.declared).toMatchObject({ description: 'ours', active: true });
  expect(
    project?.entries[0]?.defaulted?.map(({ property, environment, place }) => [
      property,
      environment,
      place.line,
    ]),
  ).toEqual([
    ['description', null, 2],
    ['active', 'staging', 3],
  ]);
});

test('defaults cannot add more values than a project may hold', () => {
  const inputs = `[${'1,'.repeat(20_000)}]`;
  const entries = Array.from(
    { length: 100 },
    (_, i) => `  g${i}: { target: agent/a${i}, once: "2999-12-01T00:00:00" }`,
  );
  const text = `project: p
defaults: { schedules: { inputs: { list: ${inputs} } } }
schedules:
${entries.join('\n')}
`;
  expect(problems(text, { kinds })).toEqual(['roster.yaml:2:13 limit-exceeded «schedules»']);
});

test('an entry of another environment is checked, but for variables that only that one has', () => {
  const text = `project: p
environments: { staging: {}, production: { vars: { x: 1 } } }
groups:
  g: { members: [], description: "\${var.x} \${env.NOWHERE}", activ: true, environments: [production] }
`;
  expect(problems(text, { kinds, environment: 'staging' })).toEqual([
    'roster.yaml:4:61 unknown-property «activ»',
  ]);
});

test('a project that requires another version is not read any further', () => {
  const text = 'project: p\nrequires: ">=0.2"\nunknown: 1\n';
  expect(problems(text, { kinds, version: '0.1.9' })).toEqual([
    'roster.yaml:2:11 unsupported-version «">=0.2"»',
  ]);
  expect(problems(text, { kinds, version: '0.2.0-rc.1' })).toEqual([
    'roster.yaml:3:1 unknown-property «unknown»',
  ]);
});

test('`--var` replaces a declared variable with a value of its type', () => {
  const text = `project: p
vars: { on: true, list: [] }
groups: { g: { members: [], active: "\${var.on}" } }
`;
  const { project } = load(text, { kinds, vars: { on: 'false' } });
  expect(project?.entries[0]?.declared).toMatchObject({ active: false });
  expect(problems(text, { kinds, vars: { on: 'no', list: 'a', onn: '1' } })).toEqual([
    '- unknown-variable',
    'roster.yaml:2:9 schema «on»',
    'roster.yaml:2:19 schema «list»',
  ]);
});
