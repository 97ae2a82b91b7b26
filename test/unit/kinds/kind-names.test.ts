import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';

const source = join(import.meta.dirname, '../../../src');
/** Where a kind may be named: the kinds, the service's own words, and the files that `init` writes. */
const exempt = /^(kinds|sandbox|service\/operations|init)\/|\/generated\//;

/** `schedule` as a word of a message, as the code of a risk, as a property of a run, and as an event of GitHub and GitLab, which calls its runs pipelines; `group` as a role of an HTML element, and of a command, `keys` as a class. */
const otherMeanings = [
  'schedule: ci/github-plan.ts',
  'schedule: ci/github-settings.ts',
  'schedule: ci/gitlab-settings.ts',
  'pipelines: ci/gitlab-settings.ts',
  'schedule: engine/hold-targets.ts',
  'schedule: model/finding.ts',
  'schedule: reconcile/rules/starts-again.ts',
  'group: cli/commands.ts',
  'schedule: view/change-view.ts',
  'schedule: view/calendar/calendar-text.ts',
  'schedule: view/calendar/heat-scale.ts',
  'schedule: view/json/runs-json.ts',
  'schedule: view/html/calendar-html.ts',
  'group: view/html/calendar-html.ts',
  'group: view/html/plan-html.ts',
  'keys: view/html/plan-html.ts',
];

/** `key` has other meanings, such as the key of a map: it names a kind only where a kind is compared. */
const patternFor = (word: string) =>
  word === 'key' ? /\bkind(\.name|Name)?\s*(===|!==|:)\s*'key'/ : new RegExp(`['"\`]${word}(['"\`]|/['"\`])`);

test('no module outside kinds names a kind', () => {
  const words = kinds.flatMap(({ name, section }) => [name, section]);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !exempt.test(path),
  );
  const named = files.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
    return words.filter((word) => patternFor(word).test(text)).map((word) => `${word}: ${path}`);
  });
  expect(named.filter((each) => !otherMeanings.includes(each))).toEqual([]);
});
