import { expect, it } from 'vitest';
import { inFolder, loadFrom } from './project.js';

const main = 'project: p\ninclude: [a.yaml]\ngroups: { g: { members: [x] } }\n';

it.each([
  ['only comments', '# groups:\n#   a: { members: [x] }\n', 'warning'],
  ['nothing', '', 'error'],
])('an included file that holds %s is reported', (_, text, severity) => {
  const { diagnostics } = inFolder({ 'roster.yaml': main, 'a.yaml': text }, (folder) => loadFrom(folder));
  expect(diagnostics.map((each) => [each.severity, each.code, each.place?.file])).toEqual([
    [severity, 'schema', 'a.yaml'],
  ]);
});
