import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = (name: string) => readFileSync(join(root, name), 'utf8');
const pages = ['SECURITY.md', 'RELEASING.md', '.github/pull_request_template.md'];

test.each(pages)('%s links only to files and headings that exist', (page) => {
  const links = [...text(page).matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)];
  for (const [link, path = '', heading] of links) {
    const file = join(root, dirname(page), path);
    expect([link, existsSync(file)]).toEqual([link, true]);
    if (heading === undefined) continue;
    const headings = readFileSync(file, 'utf8').match(/^#+ .*$/gm) ?? [];
    expect(headings.map((each) => each.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))).toContain(
      heading,
    );
  }
});

test('no page invents an address or a host', () => {
  // The rest of that page has examples of proxies.
  const [platforms = ''] = text('docs/support.md').split('## Environment variables');
  for (const each of [...pages.map(text), platforms])
    expect(each.match(/[\w.]+@[\w-]+\.\w+|https?:\/\/\S+/g)).toBe(null);
});

test('the supported versions of Node are those of package.json and of the tests', () => {
  expect(manifest.engines.node).toBe('^20.18.1 || >=22.9.0');
  const support = text('docs/support.md');
  expect(support).toContain('20.18.1 or later on the 20 line, 22.9 or later on the 22 line, 24, 26');
  const matrix = /node: \[(.*)\]/.exec(text('.github/workflows/ci.yml'))?.[1];
  const lines = [...(/const lines = \[(.*)\]/.exec(text('scripts/nodes.ts'))?.[1] ?? '').matchAll(/\d+/g)];
  expect(matrix).toBe(lines.join(', '));
  expect(support).toContain(
    `Node ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}, with \`npm run test:nodes\``,
  );
});

test('every npm script in the release checklist, and in the workflows, exists', () => {
  const release = `${text('RELEASING.md')}${text('.github/workflows/release.yml')}`;
  const named = [...release.matchAll(/npm run (?:--silent )?([\w:]+)/g)];
  const nightly = [...text('.github/workflows/nightly.yml').matchAll(/^ +- (test:\w+)/gm)];
  const checks = [
    ...text('.ci/run').matchAll(/step npm run (?:--silent )?([\w:]+)|^ +tests .* (test[\w:]*)/gm),
  ];
  const scripts = [...named, ...nightly, ...checks].map(([, name, tests]) => name ?? tests);
  expect(scripts.length).toBeGreaterThan(20);
  expect(scripts.filter((name) => !(String(name) in manifest.scripts))).toEqual([]);
});

describe.each(['bug.yml', 'idea.yml'])('the issue form %s', (name) => {
  const form = parse(text(`.github/ISSUE_TEMPLATE/${name}`));
  test('has what GitHub requires of a form', () => {
    expect([typeof form.name, typeof form.description]).toEqual(['string', 'string']);
    const fields = form.body.filter(({ type }: { type: string }) => type !== 'markdown');
    const ids = fields.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(fields.length);
    for (const { type, attributes } of fields) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect(typeof attributes.label).toBe('string');
      if (type === 'dropdown')
        expect(attributes.options.every((each: unknown) => typeof each === 'string')).toBe(true);
    }
  });
});

test('issue forms are all that is in their folder, besides its settings', () => {
  expect(readdirSync(join(root, '.github/ISSUE_TEMPLATE')).sort()).toEqual([
    'bug.yml',
    'config.yml',
    'idea.yml',
  ]);
});
