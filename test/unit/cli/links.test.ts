import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/fresh.js';
import { codeAddress, pageAddress } from '../../../src/cli/help/page-address.js';
import { linksFor } from '../../../src/cli/host/links.js';
import { diagnosticPage, site } from '../../../src/engine/version.js';
import { widthOf } from '../../../src/view/columns.js';
import { diagnosticsText } from '../../../src/view/text/diagnostics-text.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { place, plan } from '../view/samples.js';

const at = place(12, 3, 4, '', 'teams/a b.yaml');
const known = { TERM_PROGRAM: 'WezTerm' };
const linkIn = (env: Record<string, string>, isTerminal = true, flags = {}) =>
  linksFor(flags, { env, cwd: '/home/ada/prices' }, isTerminal)?.(at);

describe('a place is a link', () => {
  test.each([
    [known, /^file:\/\/[^/]*\/home\/ada\/prices\/teams\/a%20b\.yaml#12$/],
    [{ VTE_VERSION: '7600' }, /#12$/],
    [{ TERM: 'xterm-kitty' }, /#12$/],
    [{ FORCE_HYPERLINK: '1' }, /#12$/],
    [{ TERM_PROGRAM: 'vscode' }, /^vscode:\/\/file\/home\/ada\/prices\/teams\/a%20b\.yaml:12:3$/],
  ])('on a terminal with %j', (env, expected) => {
    expect(linkIn(env)).toMatch(expected);
  });

  test.each([
    ['in a pipe', known, false, {}],
    ['in a pipe with FORCE_HYPERLINK', { FORCE_HYPERLINK: '1' }, false, {}],
    ['on an unknown terminal', { TERM: 'xterm-256color' }, true, {}],
    ['on an old terminal', { VTE_VERSION: '4200' }, true, {}],
    ['on a dumb terminal', { ...known, TERM: 'dumb' }, true, {}],
    ['with NO_COLOR', { ...known, NO_COLOR: '1' }, true, {}],
    ['with --no-color', known, true, { color: false }],
    ['with FORCE_HYPERLINK=0', { ...known, FORCE_HYPERLINK: '0' }, true, {}],
    ['in a CI job', { ...known, CI: 'true' }, true, {}],
  ] as const)('but not %s', (_, env, isTerminal, flags) => {
    expect(linkIn(env, isTerminal, flags)).toBeUndefined();
  });
});

test('the places of a text plan are links, and its text stays the same', () => {
  const linkOf = linksFor({}, { env: known, cwd: '/home/ada' }, true);
  const linked = planText(plan, { color: false, width: 100, linkOf }).replaceAll('\u001b', '^');
  const found = [...linked.matchAll(/\^]8;;(file:[^^]+)\^\\([^^]+)\^]8;;\^\\/g)];
  const placed = plan.changes.filter(({ action, source }) => action !== 'none' && source !== null);
  expect(found).toHaveLength(placed.length);
  for (const [, address = '', text = ''] of found)
    expect(address.endsWith(`/home/ada/${text.replace(':', '#')}`)).toBe(true);
  const plain = planText(plan, { color: false, width: 100 });
  expect(linked.replaceAll(/\^]8;;[^^]*\^\\/g, '')).toBe(plain);
});

test('a link takes no columns, and a name cannot end it', () => {
  const hostile = place(1, 1, 1, 'a: b', 'a\u001b\\\u0007b.yaml');
  const linkOf = linksFor({}, { env: known, cwd: '/' }, true);
  const found = [{ severity: 'error', code: 'schema', message: 'wrong', place: hostile }] as const;
  const linked = diagnosticsText(found, { color: false, linkOf });
  const plain = diagnosticsText(found, { color: false });
  expect(linked.split('\n').map(widthOf)).toEqual(plain.split('\n').map(widthOf));
  // The code and the place.
  expect(linked.split('\u001b')).toHaveLength(9);
  expect(linked).not.toContain('\u0007');
});

test('the code of an error is a link to what this package or the site says of it, and nothing else is', () => {
  const linkOf = linksFor({}, { env: known, cwd: '/' }, true);
  const found = [{ severity: 'error', code: 'locked', message: 'locked' }] as const;
  const linked = diagnosticsText(found, { color: false, linkOf }).replaceAll('\u001b', '^');
  const links = [...linked.matchAll(/\^]8;;([^^]+)\^\\([^^]+)\^]8;;\^\\/g)];
  expect(links.map(([, address, text]) => [address, text])).toEqual([
    [codeAddress('locked'), 'error[locked]'],
  ]);
});

describe('where a page is read', () => {
  test('is a file of this package while there is no site', () => {
    expect(pageAddress('docs/ci.md', null)).toBe(join(root, 'docs/ci.md'));
    expect(pageAddress('docs/ci.md#snapshots', null)).toBe(`${join(root, 'docs/ci.md')}#snapshots`);
  });

  test('is the site when package.json names it', () => {
    expect(pageAddress('docs/ci.md', 'https://docs.example/roster/')).toBe('https://docs.example/roster/ci');
    expect(pageAddress('docs/ci.md#snapshots', 'https://docs.example/')).toBe(
      'https://docs.example/ci#snapshots',
    );
    const page = diagnosticPage('locked', 'https://docs.example/roster/');
    expect(page).toBe('https://docs.example/roster/codes/locked');
  });

  test('is a file or a page of the site also for a code', () => {
    const address = codeAddress('locked');
    if (site !== null) return expect(address).toBe(diagnosticPage('locked'));
    const [file = '', code] = address.split('#');
    expect([fileURLToPath(file), code]).toEqual([join(root, 'docs/diagnostics.md'), 'locked']);
  });
});
