import { type ConditionPlace, parseCondition } from '../model/condition.js';
import { Problem } from '../model/diagnostic.js';
import { mergedExpectations, withoutLeavesOf } from '../model/expectation.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { ReportProblem, Suggest } from '../model/resource.js';
import type { Entry } from '../yaml/tree.js';

/** Conditions of `rows`, as `roster data query --where` has them. What else is wrong with `expect` the schema says. */
export function checkExpectation(expect: Json | undefined, suggest: Suggest, report: ReportProblem): void {
  if (!isJsonObject(expect)) return;
  const { members } = expect;
  checkRows(expect, ['expect', 'rows'], suggest, report);
  if (!isJsonObject(members)) return;
  for (const [agent, differing] of Object.entries(members))
    if (isJsonObject(differing)) checkRows(differing, ['expect', 'members', agent, 'rows'], suggest, report);
}

function checkRows(
  { rows }: JsonObject,
  path: readonly string[],
  suggest: Suggest,
  report: ReportProblem,
): void {
  if (!isJsonObject(rows)) return;
  const place: ConditionPlace = { name: '`rows`', example: '"price lte 0": 0', suggest };
  for (const text of Object.keys(rows)) {
    try {
      parseCondition(text, place);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      for (const { code, message, help } of failure.diagnostics)
        report({
          severity: 'error',
          code: code === 'inexact-number' ? code : 'invalid-condition',
          path: [...path, text],
          message,
          help,
        });
    }
  }
}

/** What one layer of `defaults` expects, and where it is written. */
export interface ExpectedBelow {
  readonly value: Json;
  readonly written: Entry;
}

/** An expectation as an entry has it, and the defaults below it. */
export interface WrittenExpectation {
  readonly own: JsonObject;
  readonly defaults: JsonObject;
  /** Whether `own` is the uppermost default, as the entry expects nothing itself. */
  readonly isDefault: boolean;
}

/** Undefined where neither the entry nor `defaults` expects anything. `layers`: of `defaults`, the lowest first. */
export function writtenExpectation(
  own: Json | undefined,
  layers: readonly ExpectedBelow[],
  isDefault: boolean,
): WrittenExpectation | undefined {
  const below = layers.map(({ value }) => value).filter(isJsonObject);
  if (!isJsonObject(own) && below.length === 0) return undefined;
  const defaults = below.reduce(mergedExpectations, {});
  return { own: isJsonObject(own) ? own : {}, defaults, isDefault };
}

export function wholeExpectation({ own, defaults }: WrittenExpectation): JsonObject {
  return mergedExpectations(defaults, own);
}

/** What is left of it over its target, which wins over defaults. Undefined where that is nothing. */
export function expectationOver(ofTarget: JsonObject, written: WrittenExpectation): JsonObject | undefined {
  const { own, defaults, isDefault } = written;
  if (!isDefault) return mergedExpectations(withoutLeavesOf(defaults, ofTarget), own);
  const left = withoutLeavesOf(wholeExpectation(written), ofTarget);
  return Object.keys(left).length === 0 ? undefined : left;
}
