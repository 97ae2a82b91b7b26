import { groupBy } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import { numberText } from '../model/schedule.js';
import { instantText } from '../model/words.js';
import { type ChangeView, deliversSecret } from './change-view.js';
import { escapeControls } from './escape.js';
import { type FieldView, shortValues } from './field-view.js';

/** One change, or several that a reviewer reads as one. */
export interface ChangeBlock {
  readonly views: readonly [ChangeView, ...ChangeView[]];
  /** Null for one change. */
  readonly alike: Alike | null;
}

/** What is said of changes with the same action and the same fields. Texts are escaped, apart from sentences. */
export interface Alike {
  /** `1,000 groups`. */
  readonly what: string;
  readonly addresses: Tally;
  readonly places: Tally;
  readonly owners: Tally;
  readonly fields: readonly { readonly path: string; readonly values: Tally }[];
  readonly cadences: Tally;
  readonly remarks: Tally;
  readonly risks: Tally;
  readonly notes: Tally;
  /** The ones to look at: `most members: 4 in group/de-bikes`. */
  readonly outliers: readonly string[];
}

/** The different texts of many changes, those of most changes first. */
export interface Tally {
  readonly shown: readonly { readonly text: string; readonly number: number }[];
  /** How many other texts there are. */
  readonly more: number;
  /** The number of the changes. */
  readonly of: number;
}

/** So many changes are read one by one. */
const MOST_ALONE = 5;
/** With more blocks, like changes of several files are one. */
const MOST_BLOCKS = 12;
/** Texts of a tally. */
const MOST_SHOWN = 4;
/** Deletes that are named. */
const MOST_NAMED = 100;

/** In the order of the first change of each block. Nothing is grouped that delivers a secret: each of its lines is read. */
export function blocksOf(views: readonly ChangeView[], startsOf: StartsOf): ChangeBlock[] {
  const blocks = groupLike(views, likenessInFile, startsOf);
  return blocks.length > MOST_BLOCKS ? groupLike(views, likeness, startsOf) : blocks;
}

/** Each change by itself. */
export function oneByOne(views: readonly ChangeView[]): ChangeBlock[] {
  return views.map((view) => ({ views: [view], alike: null }));
}

function groupLike(
  views: readonly ChangeView[],
  keyOf: (view: ChangeView) => string,
  startsOf: StartsOf,
): ChangeBlock[] {
  const groups = groupBy(views, (view) => (isReadAlone(view) ? view : keyOf(view)));
  return [...groups.values()].flatMap((group): ChangeBlock[] => {
    const [first, ...rest] = group;
    if (first === undefined || group.length <= MOST_ALONE) return oneByOne(group);
    return [{ views: [first, ...rest], alike: alikeOf([first, ...rest], startsOf) }];
  });
}

function isReadAlone({ change, needsCare }: ChangeView): boolean {
  return deliversSecret(change) || (needsCare && change.action !== 'delete');
}

function likeness({ change, verb, fields, risks }: ChangeView): string {
  const paths = fields.map(({ path }) => path);
  return JSON.stringify([verb, change.kind, paths, risks.map(({ label }) => label)]);
}

/** Items of a repeated entry are apart from the others of their file. */
function likenessInFile(view: ChangeView): string {
  const { source } = view.change;
  const entry = source?.each === undefined ? null : source.line;
  return JSON.stringify([likeness(view), source?.file, entry]);
}

function alikeOf(views: ChangeBlock['views'], startsOf: StartsOf): Alike {
  const [{ change, needsCare, fields }] = views;
  const tallied = (textsOf: (view: ChangeView) => readonly string[], most = MOST_SHOWN) =>
    tally(views, textsOf, most);
  return {
    what: `${numberText(views.length)} ${change.kind}s`,
    addresses: tallied((view) => [escapeControls(view.change.address)], needsCare ? MOST_NAMED : MOST_SHOWN),
    places: tallied((view) => placesOf(view, views)),
    owners: tallied(({ change: { owners = [] } }) => owners.map(escapeControls)),
    fields: fields.map(({ path }, index) => ({
      path: escapeControls(path),
      values: tallied((view) => valuesAt(view.fields[index])),
    })),
    cadences: tallied(({ cadence }) => (cadence === null ? [] : [cadence])),
    remarks: tallied(({ remarks }) => remarks),
    risks: tallied(({ risks }) => risks.map(({ besideCadence }) => besideCadence)),
    notes: tallied(({ notes }) => notes),
    outliers: [...mostStarts(views, startsOf), ...largest(views), ...busiestMinute(views, startsOf)],
  };
}

function valuesAt(field: FieldView | undefined): string[] {
  return field === undefined ? [] : shortValues(field);
}

/** The file, and the line where all come from the same one. */
function placesOf({ change }: ChangeView, [first]: ChangeBlock['views']): string[] {
  const { source, formerFile } = change;
  if (source === null) return formerFile === undefined ? [] : [escapeControls(formerFile)];
  const isRepeated = source.each !== undefined && source.line === first.change.source?.line;
  const file = escapeControls(source.file);
  return [isRepeated ? `${file}:${source.line}` : file];
}

function tally(
  views: readonly ChangeView[],
  textsOf: (view: ChangeView) => readonly string[],
  most: number,
): Tally {
  const numbers = new Map<string, number>();
  for (const view of views)
    for (const text of new Set(textsOf(view))) numbers.set(text, (numbers.get(text) ?? 0) + 1);
  const all = [...numbers].map(([text, number]) => ({ text, number }));
  const shown = all.toSorted((a, b) => b.number - a.number).slice(0, most);
  return { shown, more: all.length - shown.length, of: views.length };
}

/** `a`, if it is the same for all; otherwise `a (12), b (3) and 4 more`. Null where there is nothing to say. */
export function tallyText(
  { shown, more, of }: Tally,
  mark: (text: string) => string = (text) => text,
): string | null {
  if (shown.length === 0) return null;
  const isDistinct = shown.every(({ number }) => number === 1);
  const texts = shown.map(({ text, number }) =>
    isDistinct || number === of ? mark(text) : `${mark(text)} (${numberText(number)})`,
  );
  return texts.join(', ') + (more > 0 ? ` and ${numberText(more)} more` : '');
}

/** Marks a text with numbers that all changes share, so that nobody takes the numbers for totals. */
export function ofEach({ shown, more, of }: Tally): Tally {
  const marked = shown.map(({ text, number }) => {
    const isMarked = number === of && /\d/.test(text);
    return { text: isMarked ? `each: ${text}` : text, number };
  });
  return { shown: marked, more, of };
}

/** A change without what is the same for all of its block, and so said once. */
export function ownPart(view: ChangeView, alike: Alike): ChangeView {
  const { fields, risks, notes, remarks, cadences, owners } = alike;
  const isOwn = (said: Tally) => (text: string) =>
    !said.shown.some(({ text: same, number }) => same === text && number === said.of);
  const ownOwners = (view.change.owners ?? []).filter((each) => isOwn(owners)(escapeControls(each)));
  return {
    ...view,
    change: { ...view.change, owners: ownOwners },
    fields: view.fields.filter((field, index) => {
      const said = fields[index]?.values;
      return said === undefined || said.shown.length === 0 || shortValues(field).some(isOwn(said));
    }),
    risks: view.risks.filter(({ besideCadence }) => isOwn(risks)(besideCadence)),
    notes: view.notes.filter(isOwn(notes)),
    remarks: view.remarks.filter(isOwn(remarks)),
    cadence: view.cadence === null || !isOwn(cadences)(view.cadence) ? null : view.cadence,
  };
}

/** How many agents a change starts each time that it runs. */
export type StartsOf = (view: ChangeView) => number;

/** Counts the agents that the declared resources refer to. */
export function startsPerRun({ links, agentLinks = [] }: Plan): StartsOf {
  const targets = groupBy([...links, ...agentLinks], ({ from }) => from);
  const agentsOf = (address: string, isTarget: boolean): number =>
    (targets.get(address) ?? []).reduce((sum, { to }) => {
      if (to.startsWith('agent/')) return sum + 1;
      return isTarget ? sum : sum + agentsOf(to, true);
    }, 0);
  return ({ change }) => agentsOf(change.address, false);
}

function mostStarts(views: readonly ChangeView[], startsOf: StartsOf): string[] {
  const weekly = (view: ChangeView) =>
    Math.round((view.change.nextRuns?.pace.after?.runsPerWeek ?? 0) * startsOf(view));
  return outlier(views, weekly, 'most starts', (starts) => `${numberText(starts)} a week by`);
}

/** Of each list, such as the members of groups. */
function largest(views: ChangeBlock['views']): string[] {
  const [{ fields }] = views;
  return fields.flatMap(({ path, difference }, index) => {
    if (difference.kind !== 'list') return [];
    const length = ({ fields: own }: ChangeView) => {
      const found = own[index]?.difference;
      return found?.kind === 'list' ? (found.after ?? []).length : 0;
    };
    return outlier(views, length, `most ${escapeControls(path)}`, (size) => `${numberText(size)} in`);
  });
}

/** None where all are the same. */
function outlier(
  views: readonly ChangeView[],
  sizeOf: (view: ChangeView) => number,
  title: string,
  text: (size: number) => string,
): string[] {
  let [most, least] = [0, Number.POSITIVE_INFINITY];
  let found: ChangeView | undefined;
  for (const view of views) {
    const size = sizeOf(view);
    least = Math.min(least, size);
    if (size > most) {
      most = size;
      found = view;
    }
  }
  if (found === undefined || most === least) return [];
  return [`${title}: ${text(most)} ${escapeControls(found.change.address)}`];
}

/** Among the next few runs of each: there may be more in that minute. */
function busiestMinute(views: readonly ChangeView[], startsOf: StartsOf): string[] {
  const minutes = new Map<string, number>();
  for (const view of views) {
    const { after } = view.change.nextRuns ?? { after: null };
    if (after === null) continue;
    const starts = startsOf(view);
    for (const { utc } of after) {
      const minute = utc.slice(0, 'yyyy-mm-ddThh:mm'.length);
      minutes.set(minute, (minutes.get(minute) ?? 0) + starts);
    }
  }
  let [busiest, most] = ['', 1];
  for (const [minute, starts] of minutes) if (starts > most) [busiest, most] = [minute, starts];
  if (busiest === '') return [];
  return [`busiest minute: at least ${numberText(most)} starts at ${escapeControls(instantText(busiest))}`];
}
