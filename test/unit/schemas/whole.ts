const vars = { text: 'x', list: ['x'], map: { x: 1 }, yes: true, deep: [1, { a: true }] };

/** Manifests that say everything a manifest can say, and are right. */
export const whole: readonly Readonly<Record<string, unknown>>[] = [
  {
    project: 'pricing',
    service: { url: 'https://collect.example.com' },
    vars,
    requires: '>=0.1 <99',
    defaults: {
      groups: { description: 'ours', protect: false, expect: { level: 'error' } },
      schedules: { timeZone: 'UTC', startTime: '2099-12-01T06:00:00', inputs: { query: '' } },
      keys: { rotateAfter: '30 days' },
    },
    environments: {
      staging: {
        service: { url: 'https://staging.example.com' },
        vars: { country: 'XX' },
        defaults: { pipelines: { active: false } },
      },
    },
    removed: ['schedule/old-import'],
    include: ['more/*.yaml'],
    policies: ['policies/*.yaml'],
    inventory: { file: 'roster.inventory.json' },
    prune: 'owned',
    limits: { deletes: 5, startsPerMinute: 60, shortestInterval: '5 minutes', startsPerWeek: 'none' },
    scopes: ['agents.run', 'agents.read'],
    'x-anchors': null,
    groups: {
      shops: {
        name: 'Shops',
        description: 'Every shop\nwith prices',
        active: true,
        members: ['acme-shop', 'globex'],
        id: '42-a',
        formerly: 'stores',
        protect: true,
        external: false,
        ignore: ['members.extra', 'description'],
        expect: {
          records: { min: 800, drop: '40%' },
          finish: '2 hours',
          columns: ['sku', 'price'],
          empty: { sku: '0%' },
          rows: { 'price lte 0': 0, 'title isempty': '1%' },
          members: {
            globex: {
              records: { min: 20 },
              finish: '1 day',
              columns: { only: ['sku'] },
              empty: { sku: '1.5%' },
              rows: { 'price lte 0': 3 },
              level: 'warning',
            },
          },
          level: 'error',
        },
      },
      theirs: { external: true, id: 7 },
      'prices-${each.key}': {
        each: { de: { shops: ['acme-shop'], limit: 3 }, fr: { shops: [], limit: 4 } },
        members: '${each.value.shops}',
        description: 'At most ${each.value.limit}',
      },
    },
    pipelines: {
      nightly: {
        name: 'Nightly',
        description: '',
        active: false,
        stages: ['login-check', 'prices'],
        id: 'p',
        formerly: 'n',
        protect: false,
        external: false,
        ignore: ['stages'],
        expect: { finish: '90 minutes' },
      },
      others: { external: true, name: 'Theirs' },
    },
    schedules: {
      interval: {
        target: 'agent/acme-shop',
        every: '6 hours',
        startTime: '2099-12-01T06:00',
        timeZone: 'Europe/Berlin',
        inputs: { country: 'DE', nested: [1, { a: 'b' }] },
        enabled: true,
        id: 12,
        formerly: 'i',
        protect: true,
        ignore: ['enabled', 'inputs.country'],
        accept: ['unknown-input'],
        expect: { columns: { only: ['sku'] } },
      },
      expression: {
        target: 'agent/acme-shop',
        cron: '0 30 2 * * MON-FRI',
        startTime: '2099-12-01T06:00:00.5',
      },
      single: { target: 'agent/acme-shop', once: '2096-02-29T08:00:00' },
      'check-${each.value}': {
        each: ['globex', 'initech'],
        target: 'agent/${each.value}',
        once: '2096-02-29T09:00:00',
      },
      elsewhere: {
        target: 'agent/acme-shop',
        once: '2096-03-01T08:00:00',
        environments: ['staging'],
      },
    },
    keys: {
      ci: {
        name: 'ci',
        scopes: ['agents.run'],
        rotateAfter: '90 days',
        deliver: { file: '.secrets/ci.key' },
        id: 'k',
        formerly: 'old',
        protect: false,
      },
      all: { scopes: 'full', deliver: { command: ['sh', '-c', 'cat\n'], env: ['GH_TOKEN'] } },
    },
  },
  {
    project: 'pricing',
    limits: { runsPerWeek: 'none' },
    vars,
    inventory: { git: { ref: 'refs/heads/roster-inventory', remote: 'origin', messagePrefix: 'chore:' } },
  },
];

export type Path = readonly string[];

/** Where every value stands, that of the manifest itself first. */
export function pathsOf(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([key, each]) => pathsOf(each).map((path) => [key, ...path]));
  return [[], ...inner];
}

export function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
}

/** A copy with something else there; with nothing there for `undefined`. */
export function put(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? put(each, rest, other) : each));
  const entries = Object.entries(value as object).map(([name, each]) => [
    name,
    name === key ? put(each, rest, other) : each,
  ]);
  const added = Object.hasOwn(value as object, key) ? [] : [[key, put({}, rest, other)]];
  return Object.fromEntries([...entries, ...added].filter(([, each]) => each !== undefined));
}
