import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../support/cost.js';
import { isLong } from '../../support/size.js';
import { load, problems } from './project.js';

const small = 'project: p\ngroups:\n  a: { members: [x] }\n';

describe('a project', () => {
  it('is read with its defaults', () => {
    const { project, diagnostics } = load(small);
    expect(diagnostics).toEqual([]);
    expect(project).toMatchObject({
      file: 'roster.yaml',
      name: 'p',
      environment: null,
      url: null,
      inventory: { file: 'roster.inventory.json' },
      prune: 'owned',
      limits: { deletes: 5, startsPerMinute: 60 },
      scopes: ['agents.run'],
      secrets: [],
    });
  });

  it('passes each entry on as written', () => {
    const text = `project: p
groups:
  a: { members: [x], id: 12, formerly: old, protect: true }
  b: { external: true, name: Theirs }
`;
    const [a, b] = load(text).project?.entries ?? [];
    expect(a).toMatchObject({
      address: 'group/a',
      kind: 'group',
      key: 'a',
      id: '12',
      formerly: 'group/old',
      protect: true,
      external: false,
      templates: {},
      source: { file: 'roster.yaml', line: 3, column: 3, length: 1 },
      declared: { entry: { members: ['x'], id: 12 }, key: 'a', scopes: ['agents.run'] },
    });
    expect(b).toMatchObject({ external: true, id: null, formerly: null });
  });

  it('knows the place of every value', () => {
    const text = 'project: p\ngroups:\n  a:\n    members:\n      - one\n      - "two"\n';
    const [entry] = load(text).project?.entries ?? [];
    const where = (...path: (string | number)[]) => {
      const { line, column, length } = entry?.placeOf(path) ?? {};
      return [line, column, length];
    };
    expect(where('members', 1)).toEqual([6, 9, 5]);
    expect(where('members')).toEqual([4, 5, 7]);
    expect(where('members', 7, 'x')).toEqual([4, 5, 7]);
    expect(where('name')).toEqual([3, 3, 1]);
    expect(where()).toEqual([3, 3, 1]);
  });

  it('counts columns in UTF-16 units', () => {
    expect(problems('project: p\nx-a: "🎉"\ngroups: { a: { description: "🎉é", membrs: [] } }\n')).toEqual([
      'roster.yaml:3:36 unknown-property «membrs»',
    ]);
  });

  it('reads several documents as one, and ignores x-', () => {
    const { project, diagnostics } = load(
      `---\n${small}x-anything: [~, { deep: ~ }]\n---\ngroups:\n  b: { members: [] }\n---\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(project?.entries.map((each) => each.address)).toEqual(['group/a', 'group/b']);
  });

  it('resolves anchors, aliases and merge keys', () => {
    const text = `project: p
x-base: &base { description: Base, active: false }
x-more: &more { description: More, members: &list [x, y] }
groups:
  a: { <<: [*base, *more], description: Own }
  b: { <<: *base, members: *list }
  c: { <<: *more }
`;
    const { project, diagnostics } = load(text);
    expect(diagnostics).toEqual([]);
    expect(project?.entries.map((each) => (each.declared as { entry: unknown }).entry)).toEqual([
      { description: 'Own', active: false, members: ['x', 'y'] },
      { description: 'Base', active: false, members: ['x', 'y'] },
      { description: 'More', members: ['x', 'y'] },
    ]);
    expect(project?.entries[2]?.placeOf(['members', 1])).toMatchObject({ line: 3, column: 55 });
  });

  it('reads CRLF and a byte order mark', () => {
    expect(load(`\ufeff${small.replaceAll('\n', '\r\n')}`).diagnostics).toEqual([]);
    expect(problems('project: p\r\nprune: no\r\n')).toEqual(['roster.yaml:2:8 schema «no»']);
  });

  it('tells a kind the places of its values', () => {
    const text = 'project: p\ngroups:\n  a: { description: warn, name: N, members: [x, yy] }\n';
    const { project, diagnostics } = load(text);
    expect(diagnostics).toMatchObject([
      {
        severity: 'warning',
        code: 'past-once',
        message: 'name N',
        place: { line: 3, column: 49, length: 2 },
      },
    ]);
    expect(project).not.toBeNull();
  });

  it.runIf(isLong)('costs no more for each entry, however many there are', () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, i) => `  g${i}: { members: [a, b], name: "N ${i}" }`);
    const textOf = (count: number) => `project: p\ngroups:\n${entries(count).join('\n')}\n`;
    const count = 250;
    const [small, large] = [textOf(count), textOf(8 * count)];
    expect(load(large).project?.entries).toHaveLength(8 * count);
    // 8 if each entry costs the same, 64 if each costs as much as there are entries.
    expect(stepsOf(() => load(large)) / stepsOf(() => load(small))).toBeLessThan(9);
  });
});

describe('settings', () => {
  const text = `project: p
service: { url: "https://base.example" }
vars: { a: base, b: base }
environments:
  staging: { service: { url: "https://\${var.a}.example" }, vars: { a: staging } }
  broken: { vars: { c: "\${env.NOWHERE}" } }
groups:
  g: { members: ["\${var.a}", "\${var.b}"] }
`;

  it('are overridden by the environment', () => {
    const { project, diagnostics } = load(text, { environment: 'staging' });
    expect(diagnostics).toEqual([]);
    expect(project).toMatchObject({
      url: 'https://staging.example',
      environment: 'staging',
      inventory: { file: 'roster.inventory.staging.json' },
    });
    expect(project?.entries[0]?.declared).toMatchObject({ entry: { members: ['staging', 'base'] } });
    expect(load(text).project?.url).toBe('https://base.example');
  });

  it('refuse an unknown environment', () => {
    const { diagnostics } = load(text, { environment: 'stagin' });
    expect(diagnostics).toMatchObject([{ code: 'unknown-environment', help: 'Did you mean `staging`?' }]);
    expect(problems('project: p\n', { environment: 'e' })).toEqual([
      'roster.yaml:1:1 unknown-environment «p»',
    ]);
  });

  it.each([
    ['{ deletes: 0 }', { deletes: 0 }],
    ['{ startsPerMinute: 5 }', { startsPerMinute: 5 }],
    ['{ shortestInterval: 1 hours }', { shortestInterval: '1 hour' }],
    ['{ startsPerWeek: 7 }', { runsPerWeek: 7 }],
    ['{ startsPerWeek: none }', {}],
    ['{ runsPerWeek: 7 }', { runsPerWeek: 7 }],
  ])('limits that are not written have their defaults: %s', (limits, expected) => {
    const defaults = { deletes: 5, startsPerMinute: 60, shortestInterval: '5 minutes', runsPerWeek: 'none' };
    expect(load(`project: p\nlimits: ${limits}\n`).project?.limits).toEqual({ ...defaults, ...expected });
  });

  it.each([
    ['{ file: state/x.json }', 'e', { file: 'state/x.e.json' }],
    ['{ file: state.d/x }', 'e', { file: 'state.d/x.e' }],
    ['{ git: {} }', null, { git: { ref: 'refs/heads/roster-inventory', remote: 'origin' } }],
    ['{ git: { ref: refs/heads/i, remote: up } }', 'e', { git: { ref: 'refs/heads/i-e', remote: 'up' } }],
    ['{ git: { ref: refs/roster/i } }', 'e', { git: { ref: 'refs/roster/i-e', remote: 'origin' } }],
  ])('keep one inventory per environment: %s', (inventory, environment, expected) => {
    const project = `project: p\nenvironments: { e: {} }\ninventory: ${inventory}\n`;
    expect(load(project, { environment }).project?.inventory).toEqual(expected);
  });

  it.each([
    ['{ file: ../x.json }', '../x.json'],
    ['{ file: /x.json }', '/x.json'],
    ['{ git: { remote: "--upload-pack=x" } }', '"--upload-pack=x"'],
    ['{ git: { remote: "https://elsewhere" } }', '"https://elsewhere"'],
    ['{ git: { ref: refs/heads/a/../b } }', 'refs/heads/a/../b'],
    ['{ git: { ref: refs/heads/a.lock } }', 'refs/heads/a.lock'],
    ['{ git: { ref: heads/a } }', 'heads/a'],
    ['{ git: { ref: refs/ } }', 'refs/'],
    ['{ file: roster.yaml }', 'roster.yaml'],
    ['{ file: ./x/../roster.yaml }', './x/../roster.yaml'],
    ['{ file: .git/config }', '.git/config'],
    ['{ file: x, git: {} }', 'git'],
    ['{}', 'inventory'],
  ])('refuse the inventory %s', (inventory, span) => {
    const [only, ...others] = problems(`project: p\ninventory: ${inventory}\n`);
    expect(others).toEqual([]);
    expect(only).toContain(` schema «${span}»`);
  });

  it('are checked even where this run does not use them', () => {
    const other = `project: p
vars: { ok: 1, "2": x, nothing: ~ }
environments:
  a b: {}
  c: { prune: all, service: { url: ftp://x } }
  d: { vars: { x: "\${x}" } }
`;
    expect(problems(other)).toEqual([
      'roster.yaml:2:16 schema «"2"»',
      'roster.yaml:2:33 schema «~»',
      'roster.yaml:4:3 schema «a b»',
      'roster.yaml:5:8 unknown-property «prune»',
      'roster.yaml:5:36 schema «ftp://x»',
      'roster.yaml:6:20 unknown-variable «${x}»',
    ]);
  });
});
