import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CiFacts, Install } from '../../../src/init/ci-facts.js';
import { ciFiles } from '../../../src/init/ci-files.js';
import { sampleOf } from '../../support/size.js';
import { actionFindings, gitlabFindings, workflowFindings } from '../../support/workflow-lint.js';

/** actionlint and the hosts' own JSON Schemas, on every kind of file that `roster init` writes. */

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const integrity = `sha512-${'A'.repeat(86)}==`;
const installs: readonly Install[] = [
  { from: 'file', path: 'vendor/rosterctl.tgz', version: '1.2.3', integrity },
  { from: 'url', url: 'https://example.com/rosterctl.tgz', version: '1.2.3', integrity },
  { from: 'npm', version: '0.2.0', integrity },
  { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
];
const environments = [
  { environments: [], promote: [] },
  { environments: ['staging', 'production', 'test'], promote: [] },
  { environments: ['staging', 'production', 'test'], promote: ['staging', 'production'] },
];
const places = [
  { project: null, branch: 'main', folder: '.', url: null, verify: null },
  {
    ...{ project: 'prices', branch: "it's+!on", folder: 'teams/a "b"', verify: 'start' as const },
    url: 'https://service.example.com',
  },
];
const all: readonly CiFacts[] = installs.flatMap((install) =>
  environments.flatMap((each) =>
    places.flatMap((place) =>
      (['snapshot', 'key'] as const).map((planWith) => ({
        install,
        planWith,
        ...each,
        ...place,
      })),
    ),
  ),
);
const named = sampleOf(all, 3).map((facts): [string, CiFacts] => {
  const { install, planWith, environments: list, promote, project } = facts;
  return [
    [install.from, planWith, list, promote, project].map((each) => JSON.stringify(each)).join(' '),
    facts,
  ];
});
const yamlOf = (host: 'github' | 'gitlab', facts: CiFacts) =>
  ciFiles(host, facts).filter(({ path }) => path.endsWith('.yml'));

test.each(named)('actionlint and GitHub’s schema find nothing in the workflows for %s', async (_, facts) => {
  const files = yamlOf('github', facts);
  expect(files).toHaveLength(3);
  for (const { path, text } of files) expect([path, ...(await workflowFindings(text))]).toEqual([path]);
});

test.each(named)('GitLab’s schema finds nothing in the pipeline for %s', (_, facts) => {
  const files = yamlOf('gitlab', facts);
  expect(files).toHaveLength(2);
  for (const { path, text } of files) expect([path, ...gitlabFindings(text)]).toEqual([path]);
});

test.each(['ci', 'nightly', 'release'])(
  'actionlint and GitHub’s schema find nothing in the workflow %s of roster itself',
  async (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    expect(await workflowFindings(text)).toEqual([]);
    const actions = text.match(/uses: .*/g) ?? [];
    expect(actions.filter((each) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
    expect(text).toMatch(/^permissions: \{\}$/m);
    // Text of a pull request or a tag stays data.
    expect(text.match(/run: .*\$\{\{.*/g) ?? []).toEqual([]);
  },
);

test('GitHub’s schema finds nothing in action.yml, nor GitLab’s in the component', () => {
  expect(actionFindings(read('action.yml'))).toEqual([]);
  expect(gitlabFindings(read('templates/roster.yml'))).toEqual([]);
});

test.each(named)('no file has more than 80 lines for %s', (_, facts) => {
  const files = [...yamlOf('github', facts), ...yamlOf('gitlab', facts)];
  const lengths = files.map(({ path, text }) => [path, text.split('\n').length - 1]);
  expect(lengths.filter(([, lines]) => Number(lines) > 80)).toEqual([]);
});

/** So that a linter that says nothing would be noticed. */
test.each([
  ['a job that does not exist', 'needs: plan', 'needs: plam'],
  ['a job of a call that does not exist', 'needs: to-staging', 'needs: to-stagin'],
  ['an output that no step has', 'steps.plan.outputs.digest', 'steps.plam.outputs.digest'],
  ['an input that nobody passes', 'inputs.task ==', 'inputs.tusk =='],
  ['an unknown context', '${{ vars.', '${{ var.'],
  ['an unknown event', 'workflow_run:', 'workflow_runs:'],
  ['an unknown permission', 'checks: write', 'check: write'],
  ['an unknown key of a step', 'id: plan', 'idea: plan'],
  ['text of others in a script', ' ci show', ' ci show ${{ github.event.pull_request.title }}'],
])('they find %s in a workflow', async (_, good, bad) => {
  const texts = yamlOf('github', {
    ...(all[0] as CiFacts),
    planWith: 'key',
    environments: ['staging', 'production'],
    promote: ['staging', 'production'],
  }).map(({ text }) => text);
  const text = texts.find((each) => each.includes(good)) ?? '';
  expect(text).toContain(good);
  expect(await workflowFindings(text.replaceAll(good, bad))).not.toEqual([]);
});

test.each([
  ['an unknown key of a job', 'resource_group:', 'resource_groups:'],
  ['a value that is none', 'when: manual', 'when: by-hand'],
  ['a number for a script', /script: \S+ validate.*\n/, 'script: 1\n'],
])('GitLab’s schema finds %s', (_, good, bad) => {
  const [, { text = '' } = {}] = yamlOf('gitlab', all[0] as CiFacts);
  expect(text).toMatch(good);
  expect(gitlabFindings(text.replaceAll(new RegExp(good, 'g'), bad))).not.toEqual([]);
});
