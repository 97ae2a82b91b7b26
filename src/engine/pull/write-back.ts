import type { Diagnostic } from '../../model/diagnostic.js';
import { canonical, groupBy, inexactNumberIn, isJsonObject, type JsonObject } from '../../model/json.js';
import type { Address, Declared, FieldRule } from '../../model/resource.js';
import { usesEnvironment } from '../../model/template.js';
import { agree } from '../../model/words.js';
import {
  type Differing,
  type EntryEdits,
  entryEdits,
  type Unwritten,
  type Wording,
} from '../../pull/write-back.js';
import { yamlValue } from '../../pull/yaml-value.js';
import { findApiKeys } from '../../redact/redactor.js';
import { EditableFile } from '../../yaml/edit.js';
import { applyEdits, flowText } from '../../yaml/editable.js';
import { isTooMuchToFormat } from '../../yaml/format.js';
import { placeOf, Source } from '../../yaml/source.js';
import { inline, quoted } from '../../yaml/text.js';
import { type CheckContext, type Checked, check, noOverlay } from './check.js';
import { meaningOf, type OtherEnvironments } from './environments.js';

export interface WrittenBack {
  /** New texts of files, by their names as shown. */
  readonly changed: ReadonlyMap<string, string>;
  /** The fields that were written, by address. */
  readonly updated: ReadonlyMap<Address, readonly string[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The files with the remote values of what differs. Each new text is read again and planned: unless what was to be
 * written is unchanged then, and everything else is as before, the file is left alone.
 */
export function writeBack(
  differing: readonly Differing[],
  texts: ReadonlyMap<string, string>,
  wording: Wording,
  context: WriteContext,
): WrittenBack {
  const writer = new ValueWriter(texts, wording, context);
  const files = [...groupBy(differing, ({ entry }) => entry.source.file)];
  writer.write(files.flatMap(([file, own]) => writer.edits(file, own)));
  return writer;
}

export interface WriteContext extends CheckContext {
  /** Those in which nothing may change. Null where what is written is meant for all of them. */
  readonly others: OtherEnvironments | null;
}

/** Each try reads the whole project. */
const MOST_TRIES = 100;

interface Made {
  readonly differing: Differing;
  readonly made: EntryEdits;
}

class ValueWriter implements WrittenBack {
  readonly changed = new Map<string, string>();
  readonly updated = new Map<Address, readonly string[]>();
  readonly diagnostics: Diagnostic[] = [];
  private taken: readonly Made[] = [];
  private tries = 0;

  constructor(
    private readonly texts: ReadonlyMap<string, string>,
    private readonly wording: Wording,
    private readonly context: WriteContext,
  ) {}

  /** All at once, because they are nearly always right; else one half and then the other. */
  write(all: readonly Made[]): void {
    if (all.length === 0) return;
    this.tries += 1;
    if (this.tries <= MOST_TRIES && this.isRight([...this.taken, ...all])) this.take(all);
    else if (all.length === 1 || this.tries > MOST_TRIES)
      for (const { differing } of all) this.refuse(differing, 'the changed file would mean something else');
    else {
      const middle = Math.ceil(all.length / 2);
      this.write(all.slice(0, middle));
      this.write(all.slice(middle));
    }
  }

  edits(name: string, differing: readonly Differing[]): Made[] {
    const text = this.texts.get(name) ?? '';
    if (isTooMuchToFormat(text)) {
      for (const each of differing) this.refuse(each, 'its file is too large to edit line by line');
      return [];
    }
    const own = differing.map((each) => this.ownOf(each)).filter(({ fields }) => fields.length > 0);
    const file = new EditableFile(text, (each) => /(?<!\$)\$\{/.test(each.replaceAll('$${', '')));
    const source = new Source(name, text, 0);
    const all = own.map((each) => ({ differing: each, made: entryEdits(file, each, this.wording) }));
    for (const { differing: each, made } of all) this.report(each, made.unwritten, source);
    return all.filter(({ made }) => made.edits.length > 0);
  }

  /**
   * Without what comes from `defaults` or `each`, and what other environments have, too: whether all or only this one should
   * change is not guessed.
   */
  private ownOf(differing: Differing): Differing {
    const { address, entry, fields } = differing;
    const places = new Map(entry.defaulted?.map(({ property, place }) => [property, place]));
    const environments = this.context.others?.having(address) ?? [];
    const isShared = (field: string) =>
      places.has(field) || entry.source.each !== undefined || environments.length > 0;
    for (const field of fields.filter(isShared)) {
      const where = agree(environments.length, 'environment', 'environments');
      const origin = places.has(field)
        ? 'it comes from `defaults`'
        : entry.source.each !== undefined
          ? 'its entry is repeated with `each`'
          : `its entry exists in the ${where} ${environments.join(', ')}, too`;
      const message = `\`${field}\` of ${address} was not changed: ${origin}${this.remote(differing, field)}`;
      const help =
        environments.length === 0
          ? undefined
          : 'To change this environment only, use a variable in place of the value. To change all of them, change it in the file.';
      this.diagnostics.push(unwrittenBack(message, places.get(field) ?? entry.placeOf([field], 'key'), help));
    }
    return { ...differing, fields: fields.filter((field) => !isShared(field)) };
  }

  private take(all: readonly Made[]): void {
    this.taken = [...this.taken, ...all];
    for (const [name, text] of this.changedBy(this.taken) ?? []) this.changed.set(name, text);
    for (const { differing, made } of all) this.updated.set(differing.address, made.written);
  }

  private isRight(all: readonly Made[]): boolean {
    const changed = this.changedBy(all);
    if (changed === null) return false;
    const pulled = new Map(all.map(({ differing, made }) => [differing.address, made.written]));
    return this.means(pulled, check(this.context, { ...noOverlay, changed }));
  }

  /** The new texts of files; null when edits collide, or a text would show a secret. */
  private changedBy(all: readonly Made[]): ReadonlyMap<string, string> | null {
    const changed = new Map<string, string>();
    for (const [name, own] of groupBy(all, ({ differing }) => differing.entry.source.file)) {
      const text = this.texts.get(name) ?? '';
      const after = textWith(text, own);
      if (after === null || this.showsSecret(text, after)) return null;
      changed.set(name, after);
    }
    return changed;
  }

  /** Whether the pulled fields have their remote values, and everything else is as before. */
  private means(
    pulled: ReadonlyMap<Address, readonly string[]>,
    { errors, project, comparison }: Checked,
  ): boolean {
    if (errors.length > 0 || project === null || comparison === null) return false;
    const before = this.context.session.project.entries.filter(({ address }) => !pulled.has(address));
    const now = new Map(project.entries.map((each) => [each.address, each]));
    const isKept = (each: Declared) => asBefore(now.get(each.address)) === asBefore(each);
    if (now.size !== this.context.session.project.entries.length || !before.every(isKept)) return false;
    const changes = new Map(comparison.diffs.map(({ change }) => [change.address, change]));
    return [...pulled].every(([address, fields]) => {
      const change = changes.get(address);
      const left = change?.fields.map(({ path }) => path) ?? [];
      const isSame = change !== undefined && ['none', 'adopt', 'update', 'replace'].includes(change.action);
      return isSame && fields.every((field) => !left.includes(field) || this.isPartly(address, field));
    });
  }

  /** Some values of a map may not be written. */
  private isPartly(address: Address, field: string): boolean {
    return this.partly.has(`${address} ${field}`);
  }

  private readonly partly = new Set<string>();

  private showsSecret(before: string, after: string): boolean {
    if (findApiKeys(after).length > findApiKeys(before).length) return true;
    const { secrets } = this.context.session.project;
    return secrets.some((each) => after.includes(each) && !before.includes(each));
  }

  private report(differing: Differing, unwritten: readonly Unwritten[], source: Source): void {
    const { address, entry } = differing;
    for (const each of unwritten) {
      const [field = ''] = each.field.split('.');
      this.partly.add(`${address} ${field}`);
      const isSecret = each.obstacle === 'reference' && usesEnvironment(entry.templates[field]);
      const why = isSecret
        ? 'it comes from the environment'
        : `${reasonOf(each, source)}${this.remote(differing, each.field)}`;
      const place = placeOf({ source, start: each.start, end: each.end });
      this.diagnostics.push(unwrittenBack(`\`${each.field}\` of ${address} was not changed: ${why}`, place));
    }
  }

  /** What it would have to be. Inputs may be passwords: their values are not shown. */
  private remote({ kind, observed }: Differing, field: string): string {
    const rule = kind.fields[field as keyof typeof kind.fields] as FieldRule<never> | undefined;
    const value = (observed.spec as JsonObject | null)?.[field];
    const shown = value === undefined ? null : (rule?.show(value as never, this.wording.names) ?? null);
    if (shown === null || isJsonObject(shown) || inexactNumberIn(shown) !== null) return '';
    const text = typeof shown === 'string' ? quoted(shown) : `\`${inline(flowText(yamlValue(shown)))}\``;
    return `, and the service has ${text}`;
  }

  private refuse({ address, entry, fields }: Differing, why: string): void {
    const names = fields.map((each) => `\`${each}\``).join(', ');
    this.diagnostics.push(unwrittenBack(`${names} of ${address} was not changed: ${why}`, entry.source));
  }
}

/** With the variables. */
function reasonOf({ obstacle, start, end }: Unwritten, { text }: Source): string {
  const variables = text.slice(start, end).match(/(?<!\$)\$\{[^{}]*\}/g) ?? [];
  if (obstacle !== 'reference' || variables.length === 0) return reasons[obstacle];
  return `it comes from ${variables.map((each) => `\`${each}\``).join(', ')}`;
}

const reasons: Readonly<Record<Unwritten['obstacle'], string>> = {
  alias: 'it comes from an anchor',
  merge: 'it comes from a merge key',
  anchor: 'other values use it through its anchor',
  reference: 'it comes from a variable',
  style: 'it is written in a form that cannot be changed line by line',
  missing: 'it is not written out in the entry',
  number: 'a manifest cannot hold this number exactly',
};

function unwrittenBack(
  message: string,
  place: NonNullable<Diagnostic['place']>,
  help = 'Change it in the file, or restore the declared value with `roster apply`.',
): Diagnostic {
  return { severity: 'error', code: 'not-written-back', message, place, help };
}

/** Null when edits collide. */
function textWith(text: string, all: readonly Made[]): string | null {
  const edits = all.flatMap(({ made }) => made.edits);
  const inOrder = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const collides = inOrder.some(({ start }, index) => start < (inOrder[index - 1]?.end ?? 0));
  return collides ? null : applyEdits(text, edits);
}

function asBefore(entry: Declared | undefined): string {
  if (entry === undefined) return '';
  return canonical([meaningOf(entry), (entry.defaulted ?? []).map(({ property }) => property)]);
}
