import { kinds } from '../../kinds/index.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { mergedExpectations } from '../../model/expectation.js';
import { canonical, groupBy, isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { Pulled } from '../../model/pull.js';
import type { Address, Declared } from '../../model/resource.js';
import { escaped, writtenValue } from '../../model/template.js';
import { agree, wordList } from '../../model/words.js';
import { yamlValue } from '../../pull/yaml-value.js';
import { EditableFile, type PropertyChange, type PropertyChanges } from '../../yaml/edit.js';
import { applyEdits, flowText, isObstacle, type TextEdit } from '../../yaml/editable.js';
import { isTooMuchToFormat } from '../../yaml/format.js';
import { inline } from '../../yaml/text.js';
import { readProject } from '../project.js';
import { type CheckContext, check, noOverlay } from './check.js';
import { meaningOf, OtherEnvironments } from './environments.js';
import { FileMaker } from './files.js';

/** What an entry should expect in addition to what it expects already. */
export interface AddedExpectation {
  readonly entry: Declared;
  readonly added: JsonObject;
}

/**
 * The files with further expectations in their entries. What an entry has written stays, and so does the rest of the project:
 * each new text is read again. Nothing is written: `writePulled` does.
 */
export function withExpectations(
  all: readonly AddedExpectation[],
  reasons: readonly string[],
  context: CheckContext,
): Pulled {
  const writer = new ExpectationWriter(context);
  writer.add(all);
  return writer.pulled(reasons);
}

/** Each try reads the whole project. */
const MOST_TRIES = 100;

class ExpectationWriter {
  private readonly texts: ReadonlyMap<string, string>;
  private readonly others: OtherEnvironments;
  private readonly diagnostics: Diagnostic[] = [];
  private taken: readonly AddedExpectation[] = [];

  constructor(private readonly context: CheckContext) {
    const { options, session } = context;
    this.texts = new Map(
      readProject({ ...options, outputs: [] }).files.map(({ file, text }) => [file, text]),
    );
    this.others = new OtherEnvironments(options, session.project.file);
  }

  /** All at once, because they are nearly always right; else one after the other: one keeps no other from being written. */
  add(all: readonly AddedExpectation[]): void {
    const possible = all.filter((each) => {
      const why = this.obstacleTo(each);
      if (why !== null) this.diagnostics.push(notWritten(each, why));
      return why === null;
    });
    if (possible.length === 0) return;
    if (this.isRight(possible)) this.taken = possible;
    else for (const [index, each] of possible.entries()) this.tryOne(each, index < MOST_TRIES);
  }

  private tryOne(each: AddedExpectation, isTried: boolean): void {
    if (isTried && this.isRight([...this.taken, each])) this.taken = [...this.taken, each];
    else this.diagnostics.push(notWritten(each, 'the changed file would mean something else'));
  }

  pulled(reasons: readonly string[]): Pulled {
    const { root } = this.context.session.project;
    const changed = this.changedBy(this.taken);
    const { files } = new FileMaker({}, this.context, this.texts).files([], changed);
    const updated = this.taken.map(({ entry: { address } }) => ({ address, fields: ['expect'] }));
    const diagnostics = [...this.diagnostics, ...this.sharedWith()];
    return { root, files, imported: [], updated, include: null, reasons, diagnostics };
  }

  private obstacleTo(each: AddedExpectation): string | null {
    const { entry } = each;
    if (entry.source.each !== undefined) return 'its entry is repeated with `each`';
    if (isTooMuchToFormat(this.texts.get(entry.source.file) ?? ''))
      return 'its file is too large to edit line by line';
    return this.editsOf(each) === null ? 'it is written in a form that cannot be changed line by line' : null;
  }

  private editsOf({ entry, added }: AddedExpectation): readonly TextEdit[] | null {
    const file = new EditableFile(this.texts.get(entry.source.file) ?? '', isReference);
    const section = kinds.find(({ name }) => name === entry.kind)?.section ?? '';
    const made = file.edit([section, entry.key], new Map([['expect', additionOf(added)]]));
    return isObstacle(made) ? null : made;
  }

  private changedBy(all: readonly AddedExpectation[]): ReadonlyMap<string, string> {
    const byFile = groupBy(all, ({ entry }) => entry.source.file);
    return new Map(
      [...byFile].map(([name, own]) => {
        const edits = own.flatMap((each) => this.editsOf(each) ?? []);
        return [name, applyEdits(this.texts.get(name) ?? '', edits)];
      }),
    );
  }

  /** Whether the entries expect what was added, and everything else is as before, in all environments. */
  private isRight(all: readonly AddedExpectation[]): boolean {
    const overlay = { ...noOverlay, changed: this.changedBy(all) };
    const { errors, project } = check(this.context, overlay);
    if (errors.length > 0 || project === null) return false;
    if (this.others.changesBy(overlay).some((each) => each.errors.length > 0)) return false;
    const added = new Map(all.map((each) => [each.entry.address, each.added]));
    const now = new Map(project.entries.map((each) => [each.address, each]));
    const { entries } = this.context.session.project;
    return now.size === entries.length && entries.every((each) => isAsMeant(each, now, added));
  }

  /** Expectations are not sent to the service: an environment that shares an entry may have them, too. */
  private sharedWith(): readonly Diagnostic[] {
    if (this.context.session.project.environment === null) return [];
    const namesOf = ({ entry }: AddedExpectation) => this.others.having(entry.address);
    return [...groupBy(this.taken, (each) => wordList(namesOf(each), 'and'))].flatMap(([where, own]) => {
      const [first] = own;
      return where === '' || first === undefined ? [] : [shared(own, first, namesOf(first).length, where)];
    });
  }
}

function isAsMeant(
  before: Declared,
  now: ReadonlyMap<Address, Declared>,
  added: ReadonlyMap<Address, JsonObject>,
): boolean {
  const after = now.get(before.address);
  if (after === undefined || meaningOf(before) !== meaningOf(after)) return false;
  const own = added.get(before.address);
  const wanted = own === undefined ? (before.expect ?? {}) : mergedExpectations(before.expect ?? {}, own);
  return holds(after.expect ?? {}, wanted, own === undefined);
}

/** A target that expects something wins over the defaults of what starts it: then the entry has less than before. */
function holds(after: JsonObject, wanted: JsonObject, mayHaveLess: boolean): boolean {
  const merged = mayHaveLess ? mergedExpectations(wanted, after) : mergedExpectations(after, wanted);
  return canonical(merged) === canonical(mayHaveLess ? wanted : after);
}

/** A leaf at a time, so that what is written beside it keeps its lines. */
function additionOf(added: JsonObject): PropertyChange {
  const changes: PropertyChanges = new Map(
    Object.entries(added).map(([name, value]) => [escaped(name), changeTo(value)]),
  );
  return { to: 'map', changes, value: yamlValue(writtenValue(added)) };
}

function changeTo(value: Json): PropertyChange {
  return isJsonObject(value) ? additionOf(value) : { to: 'value', value: yamlValue(writtenValue(value)) };
}

function isReference(text: string): boolean {
  return /(?<!\$)\$\{/.test(text.replaceAll('$${', ''));
}

function notWritten({ entry: { address, source }, added }: AddedExpectation, why: string): Diagnostic {
  const message = `\`expect\` of ${address} was not changed: ${why}`;
  const help = `Write it into the file yourself: \`expect: ${inline(flowText(yamlValue(added)))}\`.`;
  return { severity: 'error', code: 'not-written-back', message, place: source, help };
}

function shared(
  own: readonly AddedExpectation[],
  { entry }: AddedExpectation,
  number: number,
  where: string,
): Diagnostic {
  const what = own.length === 1 ? entry.address : `${entry.address} and ${own.length - 1} more`;
  const message = `the new expectations of ${what} also apply to the ${agree(number, 'environment', 'environments')} ${where}`;
  const help = 'For expectations of one environment only, write them in its `defaults`.';
  return { severity: 'warning', code: 'shared-entry', message, place: entry.source, help };
}
