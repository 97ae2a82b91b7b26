import type { Suggestions } from '../suggest.js';
import { type Failure, requiredNames } from './schema-failure.js';
import { closestProperty } from './schema-messages.js';

/** What is known about all failures of one value, for the rules below. */
interface Failures {
  /** Paths of properties that unknown ones were most likely meant to be. */
  readonly misspelt: ReadonlySet<string>;
  /** Paths of values for which no alternative, or more than one, is chosen. */
  readonly choices: ReadonlySet<string>;
  /** Paths of values of the wrong type. */
  readonly mistyped: ReadonlySet<string>;
}

/** When a failure only follows from another one, or repeats it: the rules by name. */
const cascades = {
  'the type of the value is wrong': (failure, { mistyped }) => mistyped.has(failure.instancePath),
  'a condition fails with what it applies': (failure) => failure.keyword === 'if',
  'the alternatives are reported as one': (failure) => /\/oneOf\/\d+\//.test(failure.schemaPath),
  'the key is reported as a whole': (failure) => failure.propertyName !== undefined,
  'the missing property is misspelt': (failure, { misspelt }) =>
    requiredNames(failure).some((name) => misspelt.has(`${failure.instancePath}/${name}`)),
  'a choice decides which others are needed': (failure, { choices }) =>
    failure.keyword === 'dependencies' && choices.has(failure.instancePath),
  'no alternative is chosen': (failure, { choices }) =>
    isAboutValue(failure) && failure.keyword !== 'anyOf' && choices.has(failure.instancePath),
} satisfies Readonly<Record<string, (failure: Failure, all: Failures) => boolean>>;

/** The failures that are mistakes of their own. Of several rules that one value breaks, the first is kept. */
export function withoutCascades(failures: readonly Failure[], suggestions: Suggestions): Failure[] {
  const all: Failures = {
    misspelt: misspeltPaths(failures, suggestions),
    choices: pathsOf(failures, 'oneOf', 'anyOf'),
    mistyped: pathsOf(failures, 'type'),
  };
  const rules: readonly ((failure: Failure, all: Failures) => boolean)[] = Object.values(cascades);
  const values = new Set<string>();
  return failures.filter((failure) => {
    const { instancePath, keyword } = failure;
    if (keyword === 'type') return true;
    if (rules.some((follows) => follows(failure, all))) return false;
    if (!isAboutValue(failure)) return true;
    const first = !values.has(instancePath);
    values.add(instancePath);
    return first;
  });
}

/** True for a rule about the value itself, not about the names of its properties. */
function isAboutValue(failure: Failure): boolean {
  const { keyword } = failure;
  if (keyword === 'additionalProperties' || keyword === 'propertyNames') return false;
  return requiredNames(failure).length === 0;
}

function pathsOf(failures: readonly Failure[], ...keywords: readonly string[]): Set<string> {
  return new Set(
    failures.filter(({ keyword }) => keywords.includes(keyword)).map((each) => each.instancePath),
  );
}

function misspeltPaths(failures: readonly Failure[], suggestions: Suggestions): Set<string> {
  const paths = new Set<string>();
  for (const failure of failures) {
    if (failure.keyword !== 'additionalProperties') continue;
    const near = closestProperty(failure, suggestions);
    if (near !== null) paths.add(`${failure.instancePath}/${near}`);
  }
  return paths;
}
