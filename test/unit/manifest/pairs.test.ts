import { describe, expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { load as loadFiles } from './project.js';

/** Two features of a manifest in one project. Each by itself is tested elsewhere. */

function load(manifest: object, environment: string | null = null, env: Record<string, string> = {}) {
  const { project, diagnostics } = loadFiles(JSON.stringify({ project: 'p', ...manifest }), {
    environment,
    kinds,
    env,
  });
  return { project, codes: diagnostics.map(({ code }) => code) };
}

const id = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
const timing = { target: 'agent/acme', startTime: '2099-12-01T06:00:00' };

describe('two entries with one name', () => {
  const groups = (one: object, two: object) => ({
    groups: { a: { name: 'Shops', members: [], ...one }, b: { name: 'Shops', members: [], ...two } },
  });
  test.each([
    ['neither has an id', {}, {}, ['duplicate-name']],
    ['only the first has an id', { id: id(1) }, {}, ['duplicate-name']],
    ['only the second has an id', {}, { id: id(1) }, ['duplicate-name']],
    ['each has its own id', { id: id(1) }, { id: id(2) }, []],
  ])('if %s', (_, one, two, expected) => {
    expect(load(groups(one, two)).codes).toEqual(expected);
  });
});

describe('defaults of the project and of an environment', () => {
  const project = (base: object, own: object) => ({
    defaults: { schedules: base },
    environments: { prod: { defaults: { schedules: own } }, test: {} },
    schedules: { s: timing },
  });
  const scheduleIn = (manifest: object, environment: string) => {
    const { project: loaded, codes } = load(manifest, environment);
    expect(codes).toEqual([]);
    const { every, cron } = (loaded?.entries[0]?.declared ?? { every: null, cron: null }) as {
      every: object | null;
      cron: string | null;
    };
    return every === null ? cron : 'every';
  };

  test.each([
    [{ every: '1 day' }, { cron: '0 0 6 * * *' }, '0 0 6 * * *', 'every'],
    [{ cron: '0 0 6 * * *' }, { every: '1 day' }, 'every', '0 0 6 * * *'],
  ])('%j gives way to %j, which excludes it', (base, own, inProd, inTest) => {
    const manifest = project(base, own);
    expect([scheduleIn(manifest, 'prod'), scheduleIn(manifest, 'test')]).toEqual([inProd, inTest]);
  });
});

describe('`formerly` and environments', () => {
  const manifest = {
    environments: { prod: {}, test: {} },
    groups: {
      old: { members: [], environments: ['test'] },
      new: { members: [], formerly: 'old', environments: ['prod'] },
    },
  };
  test('an entry may replace one that exists only in another environment', () => {
    expect([load(manifest, 'prod').codes, load(manifest, 'test').codes]).toEqual([[], []]);
  });

  test('an entry cannot replace one that exists in the same environment', () => {
    const { old, new: renamed } = manifest.groups;
    const both = { ...manifest, groups: { old: { ...old, environments: ['prod', 'test'] }, new: renamed } };
    expect(load(both, 'prod').codes).toEqual(['duplicate-entry']);
  });
});

describe('a part of a variable, another part of which needs the environment', () => {
  const manifest = (input: string) => ({
    vars: { shop: { country: 'AT', token: '${env.TOKEN}' } },
    schedules: { s: { ...timing, every: '1 day', inputs: { input } } },
  });
  test('needs nothing of the environment, and is no secret', () => {
    const { project, codes } = load(manifest('${var.shop.country}'));
    expect(codes).toEqual([]);
    expect(project?.entries[0]?.templates).toEqual({});
  });

  test('the other part does, and is one', () => {
    expect(load(manifest('${var.shop.token}')).codes).toEqual(['missing-environment-variable']);
    const { project, codes } = load(manifest('${var.shop.token}'), null, { TOKEN: 'x' });
    expect(codes).toEqual([]);
    expect(Object.keys(project?.entries[0]?.templates ?? {})).toEqual(['inputs']);
  });
});
