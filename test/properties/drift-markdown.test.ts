import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Drift, Drifted } from '../../src/model/plan.js';
import { driftMarkdown } from '../../src/view/markdown/drift-markdown.js';
import { MARKDOWN_LIMIT } from '../../src/view/markdown/page-parts.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { nasty } from '../support/nasty.js';
import { runs } from '../support/size.js';
import { field } from '../unit/view/samples.js';

const value = fc.oneof(nasty, fc.boolean(), fc.constant(null), fc.array(nasty, { maxLength: 4 }));
const fields = fc
  .record({
    path: nasty,
    before: value,
    after: value,
    layout: fc.constantFrom('value', 'set', 'sequence', 'text', 'map'),
    origin: fc.constantFrom('remote', 'both'),
  })
  .map(({ path, ...rest }) => field(path, rest));
const drifted: fc.Arbitrary<Drifted> = fc.record({
  address: nasty.map((key) => `group/${key}`),
  kind: fc.constant('group'),
  id: fc.option(nasty),
  name: fc.option(nasty),
  what: fc.constantFrom('changed', 'deleted'),
  fields: fc.array(fields, { maxLength: 4 }),
  source: fc.constant(null),
});
const warning = fc.record({
  severity: fc.constantFrom('warning', 'info'),
  code: fc.constant('locked' as const),
  message: nasty,
  help: nasty,
});
const drifts: fc.Arbitrary<Drift> = fc
  .record({
    project: nasty,
    environment: fc.option(nasty),
    service: nasty,
    some: fc.array(drifted, { maxLength: 4 }),
    times: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 700),
    diagnostics: fc.array(warning, { maxLength: 3 }),
  })
  .map(({ some, times, ...rest }) => {
    const changes = Array.from({ length: times }, () => some).flat();
    return { ...rest, changes, resources: 7, unmanaged: { group: 0, schedule: times } };
  });

test('any drift fits into an issue, renders nothing active, and shows what was deleted first', () => {
  fc.assert(
    fc.property(drifts, (drift) => {
      const text = driftMarkdown(drift);
      expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
      expectInertMarkdown(text, '');
      const shown = text.match(/^- \*\*(DELETED|changed)\*\*/gm) ?? [];
      expect(shown.join()).toBe([...shown].sort().join());
      const isWhole = shown.length === drift.changes.length;
      expect(/ changes? left out/.test(text)).toBe(!isWhole);
    }),
    { numRuns: runs(3, 40) },
  );
});
