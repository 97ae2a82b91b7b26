import type { Source } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import { type Entry, isNull, type MapNode, type Node } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { isWithinLimit } from './entry-size.js';
import { sections, settingNames } from './generated/validators.js';
import { colonHelp } from './type-hints.js';
import { tellUnindented } from './unindented.js';

/** The top level of one file, all its documents as one: settings by name, and the parts of its sections. */
export interface Top {
  readonly settings: ReadonlyMap<string, Entry>;
  readonly sections: readonly Entry[];
  /** What is told and not read, under the name that it has or was meant to have: what is missing may stand in it. */
  readonly dropped: readonly Entry[];
}

const sectionNames = Object.keys(sections);

/** An included file holds sections alone; only the project file may hold settings. */
export function readTop(documents: readonly Node[], isProject: boolean, told: Diagnostics): Top {
  const settings = new Map<string, Entry>();
  const parts: Entry[] = [];
  const dropped: Entry[] = [];
  const all = documents.flatMap((document) => topEntries(document, told));
  for (const written of withoutUnindented(all, dropped, told)) {
    if (written.key.text.startsWith('x-')) continue;
    const entry = isKnown(written) ? written : meant(written, isProject, told);
    const name = entry.key.text;
    const read = settings.get(name);
    if (sectionNames.includes(name) && (entry === written || entry.value.type === 'map')) parts.push(entry);
    else if (!settingNames.includes(name)) dropped.push(entry);
    else if (mayStand(entry, entry === written, read, isProject, told)) settings.set(name, entry);
    else dropped.push(entry);
  }
  return { settings, sections: parts, dropped };
}

/** Takes out entries at the left of the file whose section is empty: most likely the whole block is not indented. */
function withoutUnindented(all: readonly Entry[], dropped: Entry[], told: Diagnostics): readonly Entry[] {
  const kept: Entry[] = [];
  let empty: Entry | null = null;
  for (const entry of all) {
    const name = entry.key.text;
    if (empty !== null && !isKnown(entry) && !name.startsWith('x-') && !isNear(name, told)) {
      if (kept.at(-1) === empty) {
        dropped.push(empty);
        kept.pop();
        tellUnindented(entry, empty, told);
      }
      dropped.push(entry);
    } else {
      empty = sectionNames.includes(name) && isNull(entry.value) ? entry : null;
      kept.push(entry);
    }
  }
  return kept;
}

function isNear(name: string, told: Diagnostics): boolean {
  const known = [...settingNames, ...sectionNames];
  return told.near(name, known, known.length) !== null;
}

function isKnown({ key }: Entry): boolean {
  return sectionNames.includes(key.text) || settingNames.includes(key.text);
}

/** False, and told, for a setting that is not read. */
function mayStand(
  entry: Entry,
  isKnownName: boolean,
  read: Entry | undefined,
  isProject: boolean,
  told: Diagnostics,
): boolean {
  if (!isProject) tellMisplaced(entry, told);
  else if (isKnownName) return isNew(entry, read, told) && isWithinLimit(entry, told);
  return isProject && read === undefined && isWithinLimit(entry, told);
}

/** Nothing at all is most likely a file that was cut short, and leaving it out silently would delete what it declared. */
export function tellEmpty(source: Source, told: Diagnostics): void {
  told.error('schema', { source, start: 0, end: 1 }, 'the file holds nothing', {
    help: 'Take the file away, or write an empty section such as `groups: {}`.',
  });
}

function topEntries(document: Node, told: Diagnostics): Entry[] {
  if (document.type === 'map') return [...(document as MapNode).entries.values()];
  const isBroken = document.type === 'scalar' && document.broken;
  const help = document.type === 'scalar' ? colonHelp(String(document.value)) : undefined;
  if (!isBroken)
    told.error('schema', document, 'a manifest is a map, with keys such as `groups:` at its left', { help });
  return [];
}

function isNew(entry: Entry, first: Entry | undefined, told: Diagnostics): boolean {
  if (first === undefined) return true;
  if (entry.repeated === true) return false;
  told.error('duplicate-entry', entry.key, `${quoted(entry.key.text)} stands in two documents of this file`, {
    help: 'The documents of a file are read as one: take one of them out.',
    related: [{ message: 'it stands here first', span: first.key }],
  });
  return false;
}

function tellMisplaced(entry: Entry, told: Diagnostics): void {
  told.error('unknown-property', entry.key, `\`${entry.key.text}\` cannot stand in an included file`, {
    help: `Move it to roster.yaml. An included file holds ${list(sectionNames)}, and keys that begin with x-.`,
  });
}

/** Tells an unknown name. What it was most likely meant to be is read as such, so that nothing else is told for it. */
function meant(entry: Entry, isProject: boolean, told: Diagnostics): Entry {
  const known = isProject ? [...settingNames, ...sectionNames] : sectionNames;
  const near = told.near(entry.key.text, known, known.length);
  const help =
    near === null ? `There are ${list(known)}, and keys that begin with x-.` : `Did you mean \`${near}\`?`;
  told.error('unknown-property', entry.key, `there is no property ${quoted(entry.key.text)} here`, { help });
  return near === null ? entry : { ...entry, key: { ...entry.key, text: near } };
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
