import { isHidden } from '../model/digest.js';
import { type Hold, hasEnded, isLasting } from '../model/hold.js';
import type { InventoryEntry } from '../model/inventory.js';
import { canonical, equal, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { fieldValue, type Kind, rawValue, ruleOf } from '../model/kind.js';
import type { Desired, Observed } from '../model/resource.js';
import { usesEnvironment } from '../model/template.js';
import { comparableRecord, EXTRA, type IgnoredPart, ignoredParts } from './ignore.js';
import type { Match, MatchBasis } from './world.js';

/**
 * Applies what overrides an entry: keys that earlier runs kept, ignored properties and holds. What compares the result need
 * not handle them. What shows or records it still leaves out the ignored parts (ignore.ts), because requests need them.
 */
export function resolve(match: Match, { kept, now }: MatchBasis): Match {
  return withHold(withoutOthers(withKept(match, kept)), holdOf(match, now), now);
}

/**
 * Another project may own the object, too, and have it on hold: an apply of either takes over a hold that lasts. Only an
 * object that is not in this inventory yet comes with a hold that has ended.
 */
function holdOf({ entry, known, record, heldElsewhere }: Match, now: Date): Hold | undefined {
  const own = known?.hold;
  const other = entry === null ? undefined : heldElsewhere?.hold;
  if (isLasting(own, now) || other === undefined) return own;
  return isLasting(other, now) || record === null ? other : own;
}

/** Its key can still be read: it need not be replaced, however the run ended that created it. */
function withKept(match: Match, kept: MatchBasis['kept']): Match {
  const found = kept.get(match.address);
  const isOwn = found !== undefined && found.observed === match.observed;
  return isOwn ? { ...match, kept: found, createInterrupted: false } : match;
}

/** Ignored properties are as they are on the service: they differ in nothing, and requests keep them. */
function withoutOthers(match: Match): Match {
  const { kind, entry, observed, record } = match;
  if (entry?.ignore === undefined) return match;
  return {
    ...match,
    ...effectiveEntry(kind, entry, observed, record),
    record: record && comparableRecord(entry, record),
    wholeRecord: record,
  };
}

/**
 * Without an object there is nothing to keep: a create sets everything. Differences with values from the environment are
 * never reported.
 */
function effectiveEntry(
  kind: Kind,
  entry: Desired,
  observed: Observed | null,
  record: InventoryEntry | null,
): Pick<Match, 'entry' | 'ignoredDifferences'> {
  const parts = ignoredParts(entry);
  const before = observed?.spec ?? null;
  if (parts.length === 0 || before === null) return { entry, ignoredDifferences: [] };
  const spec: Record<string, unknown> = { ...(entry.spec as object) };
  const templates: Record<string, Json> = { ...entry.templates };
  const own: Record<string, Json> = {};
  const differences: string[] = [];
  for (const part of parts) {
    const { field, path } = part;
    const kept = keptValue(part, spec[field] as Json, rawValue(before, field) as Json);
    const isSecret = holdsSecret(part, entry, record) || observed?.withheld?.includes(field) === true;
    if (!isSecret && differs(kind, field, entry.spec, { ...spec, [field]: kept })) differences.push(path);
    if (path.endsWith(`.${EXTRA}`) && Array.isArray(spec[field])) own[field] = spec[field] as Json;
    spec[field] = kept;
    // Nobody knows whether a create of this entry has put the value there.
    if (record !== null) dropTemplate(part, templates);
  }
  return { entry: { ...entry, spec, templates, own }, ignoredDifferences: differences };
}

/**
 * The value of a field after its ignored part was taken from the service. A field that is ignored as a whole keeps the very
 * object: a kind may know its text on the service (`inputsFrom` of schedules), and sends that back unchanged.
 */
function keptValue({ part }: IgnoredPart, declared: Json, observed: Json): Json {
  if (part === null) return observed;
  if (Array.isArray(declared) && Array.isArray(observed) && part === EXTRA) {
    const own = new Set(declared.map((each) => canonical(each as Json)));
    return [...declared, ...observed.filter((each) => !own.has(canonical(each as Json)))] as Json;
  }
  // Inputs that cannot be read are replaced as a whole.
  if (!isJsonObject(declared) || !isJsonObject(observed)) return declared;
  const { [part]: _, ...others } = declared;
  return Object.hasOwn(observed, part) ? { ...others, [part]: observed[part] as Json } : others;
}

function differs(kind: Kind, field: string, declared: unknown, kept: unknown): boolean {
  if (isHidden(rawValue(kept, field) as Json) && ruleOf(kind, field).mayHoldSecrets === true) return true;
  return !equal(fieldValue(kind, declared, field), fieldValue(kind, kept, field));
}

/** To say whether such values differ would answer a guess. */
function holdsSecret({ field, part }: IgnoredPart, entry: Desired, record: InventoryEntry | null): boolean {
  const recorded = record?.sensitive.includes(field) === true ? record.applied[field] : undefined;
  const templates = [entry.templates[field], recorded];
  if (record?.sensitive.includes(field) === true && recorded === undefined) return true;
  return templates.some((each) =>
    part === null || !isJsonObject(each) ? usesEnvironment(each) : usesEnvironment(each[part] as Json),
  );
}

/** A template says what a manifest wants: of ignored properties, nothing. */
function dropTemplate({ field, part }: IgnoredPart, templates: Record<string, Json>): void {
  const template = templates[field];
  if (template === undefined) return;
  const rest = part === null ? null : without(template, part);
  if (rest === null || !usesEnvironment(rest)) delete templates[field];
  else templates[field] = rest;
}

function without(template: Json, part: string): Json {
  if (!isJsonObject(template)) return template;
  const { [part]: _, ...rest } = template as JsonObject & Record<string, Json>;
  return rest;
}

/**
 * A match whose hold the plan respects: while it lasts, the entry wants the object paused. What ignores the property
 * leaves it to somebody else, who may start it again; but when a hold ends, what it paused is started.
 */
function withHold(match: Match, hold: Hold | undefined, now: Date): Match {
  const { entry, kind, observed } = match;
  if (hold === undefined || kind.pausing === undefined) return match;
  const ended = hasEnded(hold, now);
  // It is as somebody else has left it, which is an ordinary difference again.
  if (ended && hold.wasPaused === true) return match;
  const kept = ended ? { endedHold: hold } : { hold };
  if (entry === null) return { ...match, ...kept };
  const state = { ...kept, unheld: entry };
  const { field } = kind.pausing;
  const ignores = observed !== null && entry.ignore?.includes(field) === true;
  if (ignores && ended) return { ...match, ...state, ...startedAgain(match, entry, field) };
  if (ignores || ended) return { ...match, ...state };
  return { ...match, ...state, entry: { ...entry, spec: kind.pausing.with(entry.spec, true) } };
}

function startedAgain({ kind, ignoredDifferences }: Match, entry: Desired, field: string): Partial<Match> {
  const spec = kind.pausing?.with(entry.spec, false);
  const others = (paths: readonly string[] = []) => paths.filter((path) => path !== field);
  return {
    entry: { ...entry, spec, ignore: others(entry.ignore) },
    ignoredDifferences: others(ignoredDifferences),
  };
}
