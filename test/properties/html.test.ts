import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusal, risk } from '../../src/model/finding.js';
import type { Json } from '../../src/model/json.js';
import type { Plan } from '../../src/model/plan.js';
import { planHtml } from '../../src/view/html/plan-html.js';
import { danger } from '../support/inert.js';
import { nasty } from '../support/nasty.js';
import { runs } from '../support/size.js';
import { change, field, place, plan } from '../unit/view/samples.js';

const markup = fc.constantFrom(
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style><style>*{display:none}',
  '&lt;b&gt;',
  '<base href=//evil.example>',
);
const text = fc.array(fc.oneof(nasty, markup), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));

/** Only texts differ between two plans of the same shape. */
function planWith(name: string): Plan {
  const value: Json = name;
  const texts = change(`group/${name}`, {
    id: name,
    name,
    inBrief: name,
    fields: [
      field(name, { before: value, after: `${name}\n2`, layout: 'text' }),
      field('members', { before: [name], after: ['a', name], layout: 'set' }),
      field('inputs', { before: { [name]: name }, after: { a: name }, layout: 'map' }),
    ],
    risks: [{ code: 'adopt', message: name.replaceAll('`', '') }],
    notes: [name],
    source: place(1, 1, 1, name, name),
  });
  return {
    ...plan,
    project: name,
    environment: name,
    service: name,
    changes: [texts],
    links: [{ from: `group/${name}`, to: name, stage: null }],
    findings: [
      risk(null, { code: 'safeguard', message: name.replaceAll('`', '') }),
      refusal('protected', null, name.replaceAll('`', ''), ''),
      { severity: 'warning', code: 'start-rate', message: name.replaceAll('`', ''), help: name },
    ],
  };
}

/** The characters that make markup, in order: equal for pages that differ only in texts. */
function markupOf(page: string): string {
  return page.replace(/(<script type="application\/json" id="data">)[^<]*/, '$1').replace(/[^<>"]/g, '');
}

test('no text of a plan adds markup to its page, or takes any away', () => {
  const expected = markupOf(planHtml(planWith('plain')));
  fc.assert(
    fc.property(text, (name) => {
      expect(markupOf(planHtml(planWith(name)))).toBe(expected);
    }),
    { numRuns: runs(15, 1_000) },
  );
});

test('the page shows what is invisible or controls a terminal as text', () => {
  fc.assert(
    fc.property(text, (name) => {
      expect(danger(planHtml(planWith(name)))).toBe(null);
    }),
    { numRuns: runs(15, 1_000) },
  );
});
