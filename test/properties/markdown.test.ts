import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnosticCodes } from '../../src/model/diagnostic.js';
import { refusal } from '../../src/model/finding.js';
import type { Json } from '../../src/model/json.js';
import type { Change, FieldChange, Plan, Step } from '../../src/model/plan.js';
import type { NextRuns } from '../../src/model/schedule.js';
import { jsonText } from '../../src/view/json/diagnostics-json.js';
import { planJson } from '../../src/view/json/plan-json.js';
import { MARKDOWN_LIMIT } from '../../src/view/markdown/page-parts.js';
import { planMarkdown } from '../../src/view/markdown/plan-markdown.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { nasty } from '../support/nasty.js';
import { many, runs } from '../support/size.js';
import { change, emptyPlan, field, place } from '../unit/view/samples.js';

const linkBase = 'https://git.example.com/team/config/blob/4f2a91c';

const value: fc.Arbitrary<Json> = fc.oneof(
  nasty,
  fc.boolean(),
  fc.constant(null),
  fc.array(nasty, { maxLength: 4 }),
  fc.dictionary(nasty, nasty, { maxKeys: 3 }),
  fc.constantFrom(10, 100, 1_000).map((times) => 'long `@x` '.repeat(times)),
);

const fields: fc.Arbitrary<FieldChange> = fc
  .record({
    path: fc.oneof(fc.constantFrom('name', 'members', 'inputs'), nasty),
    before: value,
    after: value,
    sensitive: fc.integer({ max: 9 }).map((number) => number === 0),
    layout: fc.constantFrom('value', 'set', 'sequence', 'text', 'map', 'whole'),
    origin: fc.constantFrom('manifest', 'remote', 'both'),
  })
  .map(({ path, ...rest }) => field(path, rest));

const run = fc.record({ local: nasty, utc: nasty });
const pace = fc.option(
  fc.record({
    runsPerWeek: fc.nat(100_000),
    shortestGapSeconds: fc.option(fc.integer({ min: 1, max: 9_999 })),
  }),
);
const nextRuns: fc.Arbitrary<NextRuns> = fc.record({
  before: fc.option(fc.array(run, { maxLength: 6 })),
  after: fc.option(fc.array(run, { maxLength: 6 })),
  computed: fc.option(fc.array(run, { maxLength: 6 })),
  by: fc.constantFrom('service', 'roster'),
  timeZone: nasty,
  pace: fc.record({ before: pace, after: pace }),
  clockChanges: fc.option(
    fc.array(
      fc.record({
        effect: fc.constantFrom('skipped', 'repeated'),
        local: nasty,
        times: fc.integer({ min: 1, max: 99 }),
        utc: nasty,
      }),
      { maxLength: 3 },
    ),
  ),
});

const secretStep: Step = {
  id: 'create-secret',
  addresses: ['key/a'],
  kind: 'key',
  request: { method: 'POST', path: '/api/api-keys', effect: 'create' },
  singles: [],
  after: [],
  last: true,
  delivery: { to: null, scopes: [] },
};

const places = fc
  .record({ file: nasty, line: fc.nat(9_999) })
  .map(({ file, line }) => place(line, 1, 1, '', file));

const changes: fc.Arbitrary<Change> = fc
  .record({
    address: fc
      .tuple(
        fc.constantFrom('group', 'pipeline', 'schedule', 'key'),
        fc.oneof(fc.constantFrom('a', 'b'), nasty),
      )
      .map((parts) => parts.join('/')),
    action: fc.constantFrom('create', 'update', 'replace', 'delete', 'adopt', 'forget', 'none'),
    id: fc.option(nasty),
    name: fc.option(nasty),
    origin: fc.option(fc.constantFrom('manifest', 'remote', 'both')),
    adopted: fc.boolean(),
    fields: fc.array(fields, { maxLength: 4 }),
    nextRuns: fc.option(nextRuns),
    risks: fc.array(
      fc.record({
        code: fc.constantFrom('delete', 'key', 'scopes', 'schedule', 'look-alike'),
        message: nasty,
      }),
      { maxLength: 2 },
    ),
    notes: fc.array(nasty, { maxLength: 2 }),
    source: fc.option(places),
  })
  .map(({ address, ...rest }) => change(address, { ...rest, steps: createsSecret(address, rest) }));

function createsSecret(address: string, { action }: Pick<Change, 'action'>): string[] {
  return address.startsWith('key/') && action === 'create' ? [secretStep.id] : [];
}

/** More than a comment has room for. */
const MANY = many(500, 10_000);

/** Sometimes thousands of changes: the same few repeated. */
const several = fc
  .tuple(
    fc.array(changes, { maxLength: 6 }),
    fc.nat(99).map((each) => (each === 0 ? MANY : each < 4 ? 50 : 1)),
  )
  .map(([some, times]) =>
    Array.from({ length: Math.min(MANY, some.length * times) }, (_, index) => some[index % some.length]),
  );

const plans: fc.Arbitrary<Plan> = fc
  .record({
    project: nasty,
    environment: fc.option(nasty),
    service: nasty,
    changes: several.map((list) => list.filter((each) => each !== undefined)),
    links: fc.array(
      fc.record({
        from: fc.oneof(fc.constantFrom('schedule/a', 'schedule/b'), nasty),
        to: fc.oneof(fc.constantFrom('group/a', 'group/b'), nasty),
        stage: fc.option(fc.nat(25)),
      }),
      { maxLength: 80 },
    ),
    refusals: fc.array(
      fc.record({
        code: fc.constantFrom(...diagnosticCodes),
        message: nasty,
        help: nasty,
        address: fc.option(nasty),
      }),
      { maxLength: 12 },
    ),
    diagnostics: fc.array(
      fc.record({
        severity: fc.constantFrom('warning', 'info'),
        code: fc.constantFrom(...diagnosticCodes),
        message: nasty,
        help: nasty,
        place: places,
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ refusals, diagnostics, ...parts }) => {
    const refused = refusals.map(({ code, address, message, help }) => refusal(code, address, message, help));
    return { ...emptyPlan, ...parts, steps: [secretStep], findings: [...refused, ...diagnostics] };
  });

/** A link as the command makes it, for any file name. */
function urlOf({ file, line }: { file: string; line: number }): string {
  return `${linkBase}/${file.replaceAll('\n', ' ')}#L${line}`;
}

test('a random plan fits into a comment, renders nothing active, and survives a JSON round trip', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const text = planMarkdown(plan, { urlOf });
      expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
      expectInertMarkdown(text, linkBase);
      expectCareFirst(plan, text);
      // Repeating the same few changes would only cost memory.
      const json = planJson({ ...plan, changes: plan.changes.slice(0, 20) });
      expect(JSON.parse(jsonText(json))).toEqual(JSON.parse(JSON.stringify(json)));
    }),
    { numRuns: runs(3, 200) },
  );
});

/** Other changes are shown only if every delete and every change of a credential is shown in full. */
function expectCareFirst({ changes: all }: Plan, text: string): void {
  const careful = all
    .filter(({ action }) => action !== 'none')
    .filter(
      ({ action, steps, fields: shown }) =>
        action === 'delete' ||
        action === 'replace' ||
        steps.length > 0 ||
        shown.some(({ layout }) => layout === 'whole'),
    ).length;
  const shown = [
    ...text.matchAll(/^- \*\*(?:DELETE|REPLACE|CREATE|UPDATE|ADOPT|FORGET)\*\* (?:([\d,]+) \w)?/gm),
  ]
    .map(([, number = '1']) => Number(number.replaceAll(',', '')))
    .reduce((sum, each) => sum + each, 0);
  const others = text.match(/^- \*\*(create|update|adopt|move|forget)\*\* /gm)?.length ?? 0;
  expect(shown).toBeLessThanOrEqual(careful);
  if (others > 0) expect(shown).toBe(careful);
}
