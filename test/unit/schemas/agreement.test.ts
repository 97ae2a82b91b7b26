import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../support/size.js';
import { judge } from './agreement.js';
import { entriesAlone, load, projectsOfCases } from './case-files.js';

const projects = projectsOfCases();
const alone = projects.flatMap(entriesAlone);

describe.each([
  ['the manifests of the case files and examples', projects],
  ['each entry of them alone', sampleOf(alone, 160)],
])('%s', (_, list) => {
  const judged = list.flatMap((project) =>
    judge(load(project)).map((each) => ({ project: project.name, ...each })),
  );

  it('are accepted by the published schema if and only if the loader reports nothing that the schema can express', () => {
    expect(judged.filter((each) => !each.agreed)).toEqual([]);
  });

  it('are many, valid and invalid', () => {
    expect(judged.filter((each) => !each.rejected).length).toBeGreaterThan(80);
    expect(judged.filter((each) => each.rejected).length).toBeGreaterThan(10);
  });
});

it('full access has one spelling: nothing that only looks like a variable counts as it', () => {
  const scopes = ['full', '$${x}', 'x$${x}', 'Full', ''].map((text) => {
    const files = { 'roster.yaml': JSON.stringify({ project: 'p', keys: { k: { scopes: text } } }) };
    const [judged] = judge(load({ name: text, files, file: 'roster.yaml', env: {}, environment: null }));
    return [text, judged?.rejected, judged?.reported];
  });
  expect(scopes).toEqual([
    ['full', false, []],
    ...['$${x}', 'x$${x}', 'Full', ''].map((text) => [text, true, ['schema']]),
  ]);
});
