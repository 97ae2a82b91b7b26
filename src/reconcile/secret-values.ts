import { isHidden, WITHHELD } from '../model/digest.js';
import { equal, isJsonObject, type Json } from '../model/json.js';
import { fieldValue, rawValue, ruleOf } from '../model/kind.js';
import { escaped, fits, masked, UNKNOWN_TEMPLATE, usesEnvironment } from '../model/template.js';
import { MASK } from '../model/words.js';
import { ownPart } from './ignore.js';
import { recordedTemplate } from './recorded.js';
import type { Match } from './world.js';

/** The templates of a field with values from the environment: of the manifest, and of the last apply. */
export interface SecretPlaces {
  readonly declared: Json | undefined;
  readonly applied: Json | undefined;
}

/**
 * Undefined for a field without values from the environment. An inventory is no more trusted than a manifest: it can
 * only hide more of what the service holds, and only in fields where such values are allowed.
 */
export function secretPlaces(match: Match, field: string): SecretPlaces | undefined {
  if (ruleOf(match.kind, field).mayHoldSecrets !== true) return undefined;
  const declared = match.entry?.templates[field];
  const record = match.wholeRecord ?? match.record;
  const applied = withheldPlaces(match, field) ?? recordedTemplate(match.kind, record, field);
  return declared === undefined && applied === undefined ? undefined : { declared, applied };
}

/** What a snapshot leaves out. */
function withheldPlaces({ observed }: Match, field: string): Json | undefined {
  if (observed?.withheld?.includes(field) === true) return UNKNOWN_TEMPLATE;
  const names = withheldNames(observed?.spec, field);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, UNKNOWN_TEMPLATE]));
}

function withheldNames(spec: unknown, field: string): string[] {
  const value = spec == null ? null : rawValue(spec, field);
  return isJsonObject(value) ? Object.keys(value).filter((name) => value[name] === WITHHELD) : [];
}

/** What others may have put secrets in: of an object that the inventory does not know, a snapshot holds only hashes. */
export function unrecordedFields({ kind, record, observed }: Match): string[] {
  if (observed === null || record?.id === observed.id) return [];
  return Object.keys(kind.fields).filter((field) => ruleOf(kind, field).mayHoldSecrets === true);
}

/** What a snapshot leaves out of an object: `description`, `inputs.token`. */
export function withheldPaths({ kind, observed }: Match): string[] {
  const parts = Object.keys(kind.fields).flatMap((field) =>
    withheldNames(observed?.spec, field).map((name) => `${field}.${name}`),
  );
  return [...(observed?.withheld ?? []), ...parts];
}

/**
 * True when the manifest used other values from the environment at the last apply. That counts as a change even if the
 * service holds the new value already: a plan must not tell whether a guess equals a secret.
 */
function templateChanged({ kind, entry, record }: Match, field: string): boolean {
  if (ruleOf(kind, field).mayHoldSecrets !== true || record === null) return false;
  const declared = entry?.templates[field];
  const applied = record.applied[field];
  const wasSecret = record.sensitive.includes(field);
  if (declared === undefined) return wasSecret;
  return applied !== undefined && !(wasSecret && equal(applied, declared));
}

/** The values of a field on both sides, where what a snapshot leaves out counts as unchanged. */
export function isUnchanged(match: Match, field: string, before: unknown, after: unknown): boolean {
  if (templateChanged(match, field)) return false;
  if (match.observed?.withheld?.includes(field) === true) return true;
  const old = fieldValue(match.kind, before, field);
  const wanted = fieldValue(match.kind, after, field);
  const declared = match.entry?.templates[field];
  const assumed =
    isJsonObject(old) && isJsonObject(wanted) && isJsonObject(declared) ? assume(old, wanted, declared) : old;
  return equal(assumed, wanted);
}

function assume(old: Json & object, wanted: Json & object, declared: Json & object): Json {
  const same = (name: string, each: Json) =>
    each === WITHHELD && usesEnvironment(at(declared, name)) ? (at(wanted, name) ?? null) : each;
  return Object.fromEntries(Object.entries(old).map(([name, each]) => [name, same(name, each as Json)]));
}

/** Whether the service still holds what was applied; where it was a template, whatever the environment held then. */
export function holdsApplied({ kind, entry, record, observed }: Match, field: string): boolean {
  const applied = record?.applied[field];
  if (applied === undefined || observed === null) return true;
  const value = ownPart(entry, field, fieldValue(kind, observed.spec, field));
  const isTemplate =
    ruleOf(kind, field).mayHoldSecrets === true && record?.sensitive.includes(field) === true;
  return isTemplate ? fits(value, applied) : equal(value, ownPart(entry, field, applied));
}

/** Whether the manifest still says what was applied: a template is compared, not what the environment makes of it. */
export function declaresApplied({ kind, entry, record }: Match, field: string): boolean {
  if (entry === null) return false;
  const declared = entry.templates[field] ?? ownPart(entry, field, fieldValue(kind, entry.spec, field));
  const isTemplate =
    record?.sensitive.includes(field) === true && ruleOf(kind, field).mayHoldSecrets === true;
  const applied = record?.applied[field] ?? null;
  const same = equal(declared, isTemplate ? applied : ownPart(entry, field, applied));
  return same && isTemplate === (entry.templates[field] !== undefined);
}

/**
 * An old value, written like a template, with a mask in exactly those places that hold or held values from the
 * environment. Their literal text is shown only where the manifest still says the same: another one would be a guess,
 * and the plan would answer it.
 */
export function concealed(before: Json, { declared, applied }: SecretPlaces): Json {
  const used = [declared, applied].filter(usesEnvironment);
  if (isHidden(before)) return used.length === 0 && before !== WITHHELD ? before : MASK;
  if (used.every((each) => hasShape(each, before))) {
    const inner = (each: Json, name: string) =>
      concealed(each, { declared: at(declared, name), applied: at(applied, name) });
    if (Array.isArray(before)) return before.map((each, index) => inner(each as Json, String(index)));
    if (isJsonObject(before))
      return Object.fromEntries(Object.entries(before).map(([name, each]) => [name, inner(each, name)]));
    return typeof before === 'string' ? escaped(before) : before;
  }
  const same = typeof declared === 'string' && declared === applied && fits(before, declared);
  return same ? masked(declared, MASK) : MASK;
}

function hasShape(template: Json | undefined, value: Json): boolean {
  if (Array.isArray(template)) return Array.isArray(value) && value.length === template.length;
  return isJsonObject(template) && isJsonObject(value);
}

function at(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, Json>>)[name];
}

/**
 * An old value for a digest: the same from a snapshot as from the service, and the same whatever the secret was. The
 * value of an input counts as a whole.
 */
export function withoutSecrets(before: Json, { declared, applied }: SecretPlaces): Json {
  const used = [declared, applied].filter(usesEnvironment);
  if (!isJsonObject(before) || isHidden(before) || !used.every(isJsonObject))
    return used.length > 0 ? MASK : before;
  const isSecret = (name: string) => used.some((each) => usesEnvironment(at(each, name)));
  return Object.fromEntries(
    Object.entries(before).map(([name, each]) => [name, isSecret(name) ? MASK : each]),
  );
}
