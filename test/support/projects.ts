import fc from 'fast-check';

/** A roster.yaml as data. */
export interface ProjectData {
  readonly [section: string]: unknown;
}

const agents = ['acme-shop', 'globex', 'initech'];

/** Ordinary names, and names that services and terminals have had problems with. */
const name = fc
  .oneof(
    fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom(...'abcdefghijXYZ 0123-_.äß漢🙂:#&*!|>%@`"\\\'{}[],'),
    }),
    fc.constantFrom(
      'Retail prices',
      'null',
      'true',
      '123',
      '~',
      'é',
      'e\u0301',
      'Ångström',
      '- a',
      '<b>',
      '::x::',
    ),
  )
  .map((text) => text.trim() || 'x');

const description = fc.constantFrom('', 'Every shop', 'Two\nlines\n', ' outer ', 'ünï');
const someAgents = (minLength: number) => fc.shuffledSubarray(agents, { minLength });

const group = fc.record({ name, description, active: fc.boolean(), members: someAgents(0) });
const pipeline = fc.record({ name, description, active: fc.boolean(), stages: someAgents(1) });

const timing = fc.oneof(
  fc.record({
    every: fc
      .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('minutes', 'hour', 'hours', 'days', 'weeks'))
      .map((parts) => parts.join(' ')),
    startTime: fc.constantFrom(
      '2026-12-01T06:00',
      '2026-12-01T06:00:00',
      '2026-12-01T06:00:00.000',
      '2027-01-31T23:59:59',
    ),
  }),
  fc.record({
    cron: fc.constantFrom('0 30 2 * * *', '0 0 6 ? * MON-FRI', '*/30 * * * * *', '0  15 10 1 jan,jul *'),
    startTime: fc.constantFrom('2026-12-01T00:00:00', '2026-12-01T00:00'),
  }),
  fc.record({ once: fc.constantFrom('2999-12-24T08:00:00', '2998-01-01T00:00') }),
);

const inputs = fc.dictionary(
  fc.constantFrom('country', 'query', 'Ω', 'a.b'),
  fc.oneof(
    fc.string({ maxLength: 8 }).map((text) => text.replaceAll('${', () => '$${')),
    fc.integer(),
    fc.boolean(),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
const zone = fc.constantFrom(
  'UTC',
  'Etc/UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Calcutta',
  'Europe/Kyiv',
  'America/New_York',
  'Australia/Lord_Howe',
);

const schedule = (targets: readonly string[]) =>
  fc
    .tuple(
      fc.record({ target: fc.constantFrom(...targets), timeZone: zone, inputs, enabled: fc.boolean() }),
      timing,
    )
    .map(([common, times]) => ({ ...common, ...times }));

/**
 * Random valid projects: entries of one kind have different names, schedules different natural keys. One in eight has
 * an API key.
 */
export const projectData: fc.Arbitrary<ProjectData> = fc
  .tuple(fc.array(group, { maxLength: 4 }), fc.array(pipeline, { maxLength: 3 }))
  .chain(([groups, pipelines]) => {
    const named = { groups: byKey('g', unique(groups)), pipelines: byKey('p', unique(pipelines)) };
    const targets = [
      'agent/acme-shop',
      ...Object.keys(named.groups).map((key) => `group/${key}`),
      ...Object.keys(named.pipelines).map((key) => `pipeline/${key}`),
    ];
    const withKey = fc.integer({ min: 0, max: 7 }).map((n) => n === 0);
    return fc.tuple(fc.array(schedule(targets), { maxLength: 6 }), withKey).map(([schedules, key]) => ({
      project: 'random',
      ...named,
      schedules: byKey('s', distinct(schedules)),
      ...(key ? { keys: { ci: { scopes: ['agents.run'], deliver: { file: '.secrets/ci.key' } } } } : {}),
    }));
  });

function byKey<T>(prefix: string, list: readonly T[]): Record<string, T> {
  return Object.fromEntries(list.map((each, index) => [`${prefix}${index}`, each]));
}

function unique<T extends { readonly name: string }>(list: readonly T[]): T[] {
  const seen = new Set<string>();
  return list.filter((each) => {
    const key = each.name.normalize('NFC');
    return seen.has(key) ? false : seen.add(key);
  });
}

/** Schedules that differ only in the text of their timing may be the same: keeps one for each target and type of timing. */
function distinct<T extends { readonly target: string }>(list: readonly T[]): T[] {
  const seen = new Set<string>();
  return list.filter((each) => {
    const kind = ['every', 'cron', 'once'].find((field) => field in each);
    const key = `${each.target} ${kind}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
