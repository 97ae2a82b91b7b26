import { posix } from 'node:path';
import { type AcceptableCode, type DiagnosticCode, isAcceptable } from '../model/diagnostic.js';
import { isEmptyObject, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { addressOf, type Declared, type Defaulted, type ReportProblem } from '../model/resource.js';
import { type ProblemText, placeOf, type Span } from '../yaml/source.js';
import { type Entry, find } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import {
  checkExpectation,
  type ExpectedBelow,
  type WrittenExpectation,
  wholeExpectation,
  writtenExpectation,
} from './expectations.js';
import { limits } from './limits.js';
import { EntryPlaces, type PlaceTable } from './places.js';

export interface EntryRead {
  readonly declared: Declared;
  readonly kind: Kind;
  readonly places: EntryPlaces;
  /** Its values as the manifest writes them. */
  readonly written: JsonObject;
  /** Missing where nothing is expected of its data. */
  readonly expectation?: WrittenExpectation | undefined;
  /** False when an error was reported for it. */
  readonly sound: boolean;
}

/** Scope names that the project knows; not all of them if `scopes` cannot be read. */
export interface Scopes {
  readonly names: readonly string[];
  readonly complete: boolean;
}

/** An entry that fits its schema, and where its values come from. */
export interface ValidEntry {
  readonly kind: Kind;
  readonly entry: Entry;
  readonly value: JsonObject;
  /** The fields that contain something from the environment, as the manifest writes them. */
  readonly templates: JsonObject;
  readonly defaulted: readonly Defaulted[];
  /** What `defaults` expect below the `expect` of the entry, the lowest layer first. Default: nothing. */
  readonly expectedBelow?: readonly ExpectedBelow[] | undefined;
  /** It exists in other environments only: warnings do not matter in this one. */
  readonly isElsewhere?: boolean;
  /** It is what `defaults` says of a section, and no entry. */
  readonly isDefault?: boolean;
}

export interface KindContext {
  readonly scopes: Scopes;
  /** Paths of the project's own files, relative to its folder. */
  readonly ownPaths: ReadonlySet<string>;
  readonly now: Date | null;
  readonly places: PlaceTable;
}

/** Has an entry read by its kind, and reports what this finds wrong. */
export function readByKind(valid: ValidEntry, context: KindContext, diagnostics: Diagnostics): EntryRead {
  const { kind, entry, value } = valid;
  const { scopes, ownPaths, now } = context;
  const key = entry.key.text;
  const accept = acceptedBy(value);
  const warnedOf = valid.isDefault === true ? undefined : addressOf(kind.name, key);
  const found = new Set<DiagnosticCode>();
  let sound = true;
  const report: ReportProblem = ({ severity, code, path, message, help }) => {
    if (severity === 'error') sound = false;
    else if (valid.isElsewhere === true) return;
    else if (isAcceptable(code) && accept.includes(code)) {
      found.add(code);
      return;
    }
    // It may be among those that cannot be read, which is reported.
    if (code === 'unknown-scope' && !scopes.complete) return;
    if (severity === 'error' && diagnostics.full) return diagnostics.skip(1);
    const { span } = find(entry, path);
    const text = withoutSecrets({ message, help }, path[0], valid);
    const about = severity === 'warning' ? warnedOf : undefined;
    diagnostics.report({ severity, code, span, ...text, entry: about });
  };
  const suggest = (word: string, known: readonly string[]) =>
    diagnostics.suggestions.of(word, known, known.length);
  checkExpectation(value['expect'], suggest, report);
  const declared = kind.read(value, key, {
    report,
    scopes: scopes.names,
    now,
    isOwn: (path) => ownPaths.has(posix.normalize(path)),
    suggest,
  });
  if (sound && valid.isElsewhere !== true) reportUnused(valid, accept, found, diagnostics);
  const own = isEmptyObject(valid.templates) ? value : { ...value, ...valid.templates };
  const places = new EntryPlaces(entry, context.places);
  const common = { kind, places, sound, declared: declaredOf(valid, declared, places) };
  const isDefault = valid.defaulted.some(({ property }) => property === 'expect');
  const expectation = writtenExpectation(value['expect'], valid.expectedBelow ?? [], isDefault);
  if (expectation === undefined) return { ...common, written: own };
  const expect = wholeExpectation(expectation);
  const expecting = { ...common.declared, expect };
  return { ...common, declared: expecting, written: { ...own, expect }, expectation };
}

function acceptedBy({ accept }: JsonObject): readonly AcceptableCode[] {
  return Array.isArray(accept) ? accept.map(String).filter(isAcceptable) : [];
}

/** Warnings that nothing but the text of an entry decides on: the others come and go with the service and the time. */
const decidedByText: ReadonlySet<AcceptableCode> = new Set<AcceptableCode>([
  'ambiguous-cron',
  'large-step',
  'ambiguous-time-zone',
  'skipped-time',
  'repeated-time',
  'ignored-inputs',
]);

/** What entries share, such as a default or an anchor, is for all of them: each of them need not have the warning. */
function reportUnused(
  { kind, entry, defaulted, isDefault }: ValidEntry,
  accept: readonly AcceptableCode[],
  found: ReadonlySet<DiagnosticCode>,
  diagnostics: Diagnostics,
): void {
  if (isDefault === true || defaulted.some(({ property }) => property === 'accept')) return;
  for (const [index, code] of accept.entries()) {
    if (!decidedByText.has(code) || found.has(code)) continue;
    const address = addressOf(kind.name, entry.key.text);
    const message = `${address} accepts \`${code}\`, a warning that it does not cause`;
    const help = `Remove \`${code}\` from \`accept\`.`;
    const { span, exact } = find(entry, ['accept', index]);
    if (!exact || !isWrittenIn(entry, span)) continue;
    const about = { code: 'unused-acceptance', span, message, help, entry: address } as const;
    diagnostics.report({ severity: 'warning', ...about });
  }
}

/** False for what comes from an anchor or a merge key, which are above the entry. */
function isWrittenIn({ key, value }: Entry, span: Span): boolean {
  return span.source === key.source && span.start >= key.end && span.end <= value.end;
}

function declaredOf(
  { kind, entry, value, templates, defaulted, expectedBelow = [] }: ValidEntry,
  declared: unknown,
  places: EntryPlaces,
): Declared {
  const { id, formerly, protect, external, ignore } = value;
  const key = entry.key.text;
  const ignored = Array.isArray(ignore) ? ignore.map(String) : [];
  const accept = acceptedBy(value);
  return {
    address: addressOf(kind.name, key),
    kind: kind.name,
    key,
    declared,
    id: id === undefined ? null : String(id),
    formerly: typeof formerly === 'string' ? addressOf(kind.name, formerly) : null,
    protect: protect === true,
    external: external === true,
    source: placeOf(entry.key),
    templates,
    ignore: ignored.length > 0 ? ignored : undefined,
    accept: accept.length > 0 ? accept : undefined,
    defaulted: defaulted.length > 0 ? defaulted : undefined,
    placeOf: placesIn(places, expectedBelow),
  };
}

/** A function of its own, so that it keeps nothing else in memory. What the entry does not expect itself, a default may. */
function placesIn(places: EntryPlaces, expectedBelow: readonly ExpectedBelow[]): Declared['placeOf'] {
  if (expectedBelow.length === 0) return (path, at) => placeOf(places.spanOf(path, at));
  return (path, at) => {
    const [name, ...inner] = path;
    const isBelow = name === 'expect' && inner.length > 0 && !places.has(path);
    const layer = isBelow ? expectedBelow.findLast(({ written }) => find(written, inner).exact) : undefined;
    if (layer === undefined) return placeOf(places.spanOf(path, at));
    const found = find(layer.written, inner);
    return placeOf(at === 'key' ? found.key : found.span);
  };
}

/** A kind may repeat a value from the environment in any spelling, so none of its message about one is shown. */
function withoutSecrets(
  { message, help }: ProblemText,
  field: string | number | undefined,
  { templates }: ValidEntry,
): ProblemText {
  if (field !== undefined && Object.hasOwn(templates, field)) {
    const hidden = `\`${field}\` is not valid with the value of its environment variable`;
    return { message: hidden, help: 'Check the environment variable. Its value is not shown.' };
  }
  return { message, help: help === undefined ? undefined : shortened(help) };
}

function shortened(help: string): string {
  return help.length <= limits.help ? help : `${help.slice(0, limits.help - 1)}…`;
}
