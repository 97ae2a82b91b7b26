import type { Source } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import { type Entry, isNull, type Node } from '../yaml/tree.js';
import { isWithinLimit, reportUnindented } from './addresses.js';
import type { Diagnostics } from './diagnostics.js';
import { sections, settingNames } from './generated/validators.js';
import { colonHint, listed } from './schema-messages.js';

/** The top level of one file, all its documents as one: settings by name, and the parts of its sections. */
export interface TopLevel {
  readonly settings: ReadonlyMap<string, Entry>;
  readonly sections: readonly Entry[];
  /** What is reported and not read, under its own name or the one it was meant to have: it may contain what is missing. */
  readonly dropped: readonly Entry[];
}

const sectionNames = Object.keys(sections);

/** An included file contains only sections; only the project file may contain settings. */
export function readTopLevel(
  documents: readonly Node[],
  isProject: boolean,
  diagnostics: Diagnostics,
): TopLevel {
  return new TopLevelReader(isProject, diagnostics).read(documents);
}

/**
 * An empty file was probably truncated; ignoring it would delete what it declared. Who comments
 * everything out means to do so.
 */
export function reportEmpty(source: Source, diagnostics: Diagnostics): void {
  const span = { source, start: 0, end: 1 };
  const help = 'Delete the file, or write an empty section such as `groups: {}`.';
  if (!/^[ \t]*#/m.test(source.text)) diagnostics.error('schema', span, 'the file is empty', { help });
  else diagnostics.warning('schema', span, 'the file contains only comments', { help });
}

class TopLevelReader {
  private readonly settings = new Map<string, Entry>();
  private readonly sections: Entry[] = [];
  private readonly dropped: Entry[] = [];

  constructor(
    private readonly isProject: boolean,
    private readonly diagnostics: Diagnostics,
  ) {}

  read(documents: readonly Node[]): TopLevel {
    const all = this.withoutUnindented(documents.flatMap((document) => this.entriesOf(document)));
    const spelt = new Set(all.filter(isKnown).map(({ key }) => key.text));
    for (const written of all) {
      if (written.key.text.startsWith('x-')) continue;
      const entry = isKnown(written) ? written : this.corrected(written);
      const [name, isSpeltRight] = [entry.key.text, entry === written];
      // If the correct spelling is present, above or below, a misspelt setting is not read as that setting.
      const isSetting = settingNames.includes(name) && (isSpeltRight || !spelt.has(name));
      if (sectionNames.includes(name) && (isSpeltRight || entry.value.type === 'map'))
        this.sections.push(entry);
      else if (isSetting && this.isAllowed(entry, isSpeltRight)) this.settings.set(name, entry);
      else this.dropped.push(entry);
    }
    return { settings: this.settings, sections: this.sections, dropped: this.dropped };
  }

  private entriesOf(document: Node): Entry[] {
    if (document.type === 'map') return [...document.entries.values()];
    const isBroken = document.type === 'scalar' && document.broken;
    const help = document.type === 'scalar' ? colonHint(String(document.value)) : undefined;
    const message = 'a manifest must be a map with keys such as `groups:`';
    if (!isBroken) this.diagnostics.error('schema', document, message, { help });
    return [];
  }

  /** Removes entries in the first column below an empty section: most likely the whole block is not indented. */
  private withoutUnindented(all: readonly Entry[]): readonly Entry[] {
    const kept: Entry[] = [];
    let empty: Entry | null = null;
    for (const entry of all) {
      const name = entry.key.text;
      if (empty !== null && !isKnown(entry) && !name.startsWith('x-') && !this.isMisspelt(name)) {
        if (kept.at(-1) === empty) {
          this.dropped.push(empty);
          kept.pop();
          reportUnindented(entry, empty, this.diagnostics);
        }
        this.dropped.push(entry);
      } else {
        empty = sectionNames.includes(name) && isNull(entry.value) ? entry : null;
        kept.push(entry);
      }
    }
    return kept;
  }

  private isMisspelt(name: string): boolean {
    const known = [...settingNames, ...sectionNames];
    return this.diagnostics.suggestions.of(name, known, known.length) !== null;
  }

  /** False, and reported, for a setting that is not read. */
  private isAllowed(entry: Entry, isSpeltRight: boolean): boolean {
    const first = this.settings.get(entry.key.text);
    if (!this.isProject) return this.reportMisplaced(entry);
    if (first !== undefined && isSpeltRight) this.reportRepeated(entry, first);
    return first === undefined && isWithinLimit(entry, this.diagnostics);
  }

  private reportRepeated(entry: Entry, first: Entry): void {
    if (entry.repeated === true) return;
    const message = `${quoted(entry.key.text)} is in two documents of this file`;
    this.diagnostics.error('duplicate-entry', entry.key, message, {
      help: 'All documents of a file are read as one: remove one of the two.',
      related: [{ message: 'first listed here', span: first.key }],
    });
  }

  private reportMisplaced({ key }: Entry): false {
    const message = `\`${key.text}\` is not allowed in an included file`;
    const help = `Move it to \`roster.yaml\`. An included file contains only ${listed(sectionNames)}, and keys that begin with \`x-\`.`;
    this.diagnostics.error('unknown-property', key, message, { help });
    return false;
  }

  /** Reports an unknown name. It is read as the one it was most likely meant to be, so that nothing follows from it. */
  private corrected(entry: Entry): Entry {
    const known = this.isProject ? [...settingNames, ...sectionNames] : sectionNames;
    const near = this.diagnostics.suggestions.of(entry.key.text, known, known.length);
    const help =
      near === null
        ? `Valid keys: ${listed(known)}, and keys that begin with \`x-\`.`
        : `Did you mean \`${near}\`?`;
    const message = `unknown property ${quoted(entry.key.text)}`;
    this.diagnostics.error('unknown-property', entry.key, message, { help });
    return near === null ? entry : { ...entry, key: { ...entry.key, text: near } };
  }
}

function isKnown({ key }: Entry): boolean {
  return sectionNames.includes(key.text) || settingNames.includes(key.text);
}
