import { type Diagnostic, itemsOf, type Place, similarItems } from '../../model/diagnostic.js';
import { writeJson } from '../../model/exact-number.js';
import { entriesOf } from '../../model/merged-diagnostics.js';

/** What every command prints with `--format json` if it fails before it has a result. */
export function failureJson(diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export function diagnosticJson(diagnostic: Diagnostic) {
  const { severity, code, message, place, help, policy, related = [] } = diagnostic;
  const items = itemsOf(diagnostic);
  const similar = similarItems(diagnostic).map(({ item, ...said }) => ({ each: item, ...said }));
  const { file = null, line = null, column = null } = place ?? {};
  const others = related.map((each) => ({ message: each.message, ...placeJson(each.place) }));
  const broken = policy === undefined ? [] : entriesOf(diagnostic);
  return {
    severity,
    code,
    message,
    file,
    line,
    column,
    help: help ?? null,
    ...(items.length === 0 ? {} : { each: items.map(({ item }) => item) }),
    ...(similar.length === 0 ? {} : { similar }),
    ...(policy === undefined ? {} : { policy }),
    ...(broken.length === 0 ? {} : { addresses: broken }),
    ...(others.length === 0 ? {} : { related: others }),
  };
}

export function placeJson({ file, line, column, each }: Place) {
  return { file, line, column, ...(each === undefined ? {} : { each }) };
}

/** A report often repeats the diagnostics of its plan. */
/**
 * A value as JSON text for a terminal, a log or a file. Characters that a terminal or a CI runner might act on are
 * written as JSON escapes, which every parser reads back as the same value.
 */
export function jsonText(value: unknown): string {
  return escapeJson(`${writeJson(value, 2)}\n`);
}

/** The same for a text that is JSON already. */
export function escapeJson(text: string): string {
  return harmless.test(text) ? text : text.replace(unsafeCharacters, escapeUnits);
}

/** Most texts: ASCII without a number sign. */
const harmless = /^[\n -"$-~]*$/;

// Line breaks are left alone: JSON.stringify writes them between values only, and escapes those inside strings.
const unsafeCharacters =
  /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=#)#(?=[A-Za-z]*\[)/gu;

function escapeUnits(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
