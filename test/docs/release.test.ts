import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../../scripts/fresh.js';
import { imageProblems, releaseProblems } from '../../scripts/release-check.js';

const text = (name: string) => readFileSync(join(root, name), 'utf8');

describe('a release', () => {
  const complete = {
    name: 'rosterctl',
    repository: { type: 'git', url: 'git+https://github.com/acme/roster.git' },
    homepage: 'https://acme.github.io/roster/',
    bugs: { url: 'https://github.com/acme/roster/issues' },
  };
  const workflow = 'https://github.com/acme/roster';

  it('is made when package.json says where the project lives', () => {
    expect(releaseProblems(complete, workflow)).toEqual([]);
    expect(releaseProblems(complete, null)).toEqual([]);
  });

  test.each([
    ['nothing is known', { name: 'a' }, ['no `repository.url`', 'no `homepage`', 'no `bugs.url`']],
    [
      'the repository is a placeholder',
      { ...complete, repository: { type: 'git', url: 'git+https://github.com/OWNER/REPOSITORY.git' } },
      ['`repository.url` of package.json is a placeholder'],
    ],
    [
      'the homepage is an example',
      { ...complete, homepage: 'https://roster.example.com' },
      ['`homepage` of package.json is a placeholder'],
    ],
    [
      'an address is not safe',
      { ...complete, homepage: 'http://acme.github.io' },
      ['`homepage` of package.json is no https'],
    ],
    [
      'bugs belong to another repository',
      { ...complete, bugs: { url: 'https://github.com/acme/roster2/issues' } },
      ['`bugs.url` of package.json is not in the repository'],
    ],
  ])('is refused when %s', (_, released, problems) => {
    expect(releaseProblems(released, workflow)).toEqual(
      problems.map((each) => expect.stringContaining(each)),
    );
  });

  it('is refused in a repository that package.json does not name', () => {
    expect(releaseProblems(complete, 'https://github.com/acme/fork')).toEqual([
      expect.stringContaining('runs in https://github.com/acme/fork'),
    ]);
  });

  it('is refused while the base of the image is only a tag', () => {
    const base = `node:24-bookworm-slim@sha256:${'a'.repeat(64)}`;
    expect(imageProblems(`# An image\nFROM ${base}\nUSER node\n`)).toEqual([]);
    expect(imageProblems('FROM node:24-bookworm-slim\n')).toEqual([
      expect.stringMatching(/without a digest: node:24-bookworm-slim\..*imagetools inspect/),
    ]);
  });

  it('is checked before anything is built, and its commit must be on the default branch', () => {
    const { steps } = parse(text('.github/workflows/release.yml')).jobs.build;
    const runs: string[] = steps.map(({ run = '' }: { run?: string }) => run);
    const at = (part: string) => runs.findIndex((each) => each.includes(part));
    expect(at('.verification.verified')).toBeGreaterThan(-1);
    expect(runs[at('.verification.verified')]).toContain('/compare/');
    expect(at('npm run release:check')).toBeGreaterThan(at('.verification.verified'));
    expect(at('npm run build')).toBeGreaterThan(at('npm run release:check'));
  });

  it('says in package.json what people search for', () => {
    expect(manifest.keywords).toContain('config-as-code');
  });
});

it('the entry for SchemaStore names the schema of roster.yaml by its own address', () => {
  const { url, fileMatch } = JSON.parse(text('docs/schemastore.json'));
  expect([url, fileMatch]).toEqual([JSON.parse(text('schemas/project.schema.json')).$id, ['roster.yaml']]);
});
