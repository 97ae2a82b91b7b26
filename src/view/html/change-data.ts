import type { Place } from '../../model/diagnostic.js';
import type { Change, NextRuns } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { cadenceText, weeklyBesideBrief, weeklyText } from '../cadence-text.js';
import { needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { fieldLine, fieldParts } from '../markdown/field-line.js';
import { callSummaries, type StepLookup } from '../plan-lookup.js';
import { originText } from '../text/field-text.js';
import { clockChangesText, runSource, runsSayNothing, runTexts, zoneName } from '../text/runs-text.js';
import { fieldsData } from './field-data.js';
import type { PageChange, PagePlace, PageRuns } from './page-data.js';

export interface PageContext {
  /** The URL of a manifest line; null if no commit is known. */
  urlOf(place: Place): string | null;
  readonly stepsOf: StepLookup;
}

/** One change, with everything that a reviewer may want to know of it. */
export function changeData(change: Change, { urlOf, stepsOf }: PageContext): PageChange {
  const { address, kind, action, id, source, risks, notes, fields, nextRuns } = change;
  const steps = stepsOf(change);
  return {
    address,
    kind,
    action,
    name: nameBesideKey(change),
    id: id ?? undefined,
    facts: factsOf(change),
    careful: needsCare(change, steps) || undefined,
    remarks: remarksOf(change),
    risks: risks.map(({ code, message }) => ({ label: riskLabels[code], message })),
    notes,
    place: source === null ? undefined : placeData(source, urlOf),
    fields: fieldsData(fields, action),
    calls: callSummaries(steps).map(({ method, path }) => `${method} ${path}`),
    runs: nextRuns === null ? undefined : runsData(nextRuns),
  };
}

export function placeData(place: Place, urlOf: PageContext['urlOf']): PagePlace {
  return { file: place.file, line: place.line, url: urlOf(place) ?? undefined };
}

/** What a reviewer chooses changes by. */
const riskLabels: Readonly<Record<Risk['code'], string>> = {
  delete: 'deletes an object',
  key: 'a key stops working',
  scopes: 'more scopes',
  schedule: 'runs change',
  adopt: 'created outside this project',
  protection: 'protection lifted',
  safeguard: 'weaker setting',
  'look-alike': 'similar name',
  'possible-duplicate': 'possible duplicate',
  'breaks-unmanaged': 'needed by an unmanaged object',
  'too-frequent': 'starts very often',
};

/** A name that repeats the key adds nothing. */
function nameBesideKey({ address, name }: Change): string | undefined {
  return name === null || name === address.slice(address.indexOf('/') + 1) ? undefined : name;
}

/** `3 members`, or what changes if that fits on a line, and how often it runs. */
function factsOf(change: Change): string | undefined {
  const { action, inBrief } = change;
  const isOneSided = action !== 'update' && action !== 'replace';
  if (isOneSided && inBrief !== undefined) return joined([inBrief, weeklyBesideBrief(change)]);
  const line = fieldLine(fieldParts(change), change, escapeControls);
  const fields = line ?? (isOneSided ? null : change.fields.map(({ path }) => path).join(', '));
  return joined([fields, line === null ? cadenceText(change) : weeklyText(change)]);
}

function joined(facts: readonly (string | null)[]): string | undefined {
  return facts.filter((each) => each !== null && each !== '').join('; ') || undefined;
}

function remarksOf({ action, adopted, origin, renamedFrom }: Change): string[] {
  return [
    ...(adopted && action !== 'adopt' && renamedFrom === undefined ? ['adopted'] : []),
    ...(origin === 'remote' || origin === 'both' ? [originText(origin)] : []),
  ];
}

function runsData(runs: NextRuns): PageRuns | undefined {
  const clockChanges = clockChangesText(runs.clockChanges);
  const isTimed = runs.after !== null && runs.pace.after?.paused !== true;
  const isKnown = !isTimed || runsSayNothing(runs);
  if (isKnown && clockChanges.length === 0) return undefined;
  const zone = zoneName(runs);
  return {
    title: `Next runs in ${zone === 'UTC' ? zone : `${zone} (and UTC)`}, ${runSource(runs)}`,
    columns: isKnown ? [] : (['before', 'after', 'computed'] as const).flatMap((side) => column(runs, side)),
    clockChanges,
  };
}

function column(runs: NextRuns, side: 'before' | 'after' | 'computed'): PageRuns['columns'] {
  const texts = runTexts(runs, side);
  return texts === null ? [] : [{ title: side === 'computed' ? 'computed by roster' : side, runs: texts }];
}
