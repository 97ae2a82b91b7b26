import { isNote, isRisk, type Risk } from '../model/finding.js';
import { byCodeUnit, isJsonObject } from '../model/json.js';
import type { Change, Drifted, Plan, Step } from '../model/plan.js';
import { some, wordList } from '../model/words.js';
import { escapeControls } from './escape.js';
import { type FieldView, fieldLine, fieldParts, fieldViews, originText } from './field-view.js';
import { labelOf } from './labels.js';
import {
  cadenceBesideBrief,
  cadenceText,
  type RunsView,
  runsStay,
  runsView,
  weeklyText,
} from './next-runs.js';
import { callSummaries, stepLookup } from './plan-words.js';
import type { Style } from './text/layout.js';

/**
 * One change of a plan, prepared: what is said of it, and in which words. The formats decide how it looks, what is folded
 * and where there is room. Texts are as they came, not escaped, but for those of runs and diffs.
 */
export interface ChangeView {
  readonly change: Change;
  /** `~`, as everywhere for its action. */
  readonly symbol: string;
  readonly style: Style;
  /** In capitals for what needs care, for those who see no color. */
  readonly verb: string;
  /**
   * True for changes that a reviewer must not overlook: a delete cannot be undone, and a step that delivers a secret
   * creates a credential, which may revoke another one and allow more than it did (contract §6, markdown).
   */
  readonly needsCare: boolean;
  /** Null where it repeats the key, except for what is deleted. */
  readonly name: string | null;
  /** Where it matters which object is meant: one that is lost, or that this project has not managed so far. */
  readonly isIdentified: boolean;
  /** What is unusual about it, such as `changed outside roster`. */
  readonly remarks: readonly string[];
  /** How often it runs, before and after; null for what does not run at certain times. */
  readonly cadence: string | null;
  readonly risks: readonly RiskView[];
  readonly notes: readonly string[];
  readonly fields: readonly FieldView[];
  readonly runs: RunsView | null;
  /** Times are known, and stay the same. */
  readonly runsStay: boolean;
  /** `PUT /api/search-groups/{id}`. */
  readonly calls: readonly string[];
}

export interface RiskView {
  readonly code: Risk['code'];
  /** What a reviewer chooses changes by. */
  readonly label: string;
  readonly message: string;
  /** The same in fewer words, for where the cadence is shown as well. */
  readonly besideCadence: string;
}

/** The changes that do something. */
export function changeViews(plan: Plan): ChangeView[] {
  const stepsOf = stepLookup(plan);
  const acting = plan.changes.filter(({ action }) => action !== 'none');
  return acting.map((change) => changeView(change, stepsOf(change)));
}

function changeView(change: Change, steps: readonly Step[]): ChangeView {
  const { action, nextRuns, findings } = change;
  const isCareful = needsCare(change, steps);
  const { symbol, verb, style } = labelOf(change);
  return {
    change,
    symbol,
    style,
    verb: isCareful ? verb.toUpperCase() : verb,
    needsCare: isCareful,
    name: action === 'delete' ? change.name : nameBesideKey(change),
    isIdentified: action === 'delete' || action === 'forget' || change.adopted,
    remarks: remarksOf(change),
    cadence: cadenceText(change),
    risks: riskViews(findings.filter(isRisk)),
    notes: findings.filter(isNote).map(({ message }) => message),
    fields: fieldViews(change),
    runs: nextRuns === null ? null : runsView(nextRuns),
    runsStay: nextRuns !== null && runsStay(nextRuns),
    calls: callSummaries(steps).map(({ method, path }) => `${method} ${path}`),
  };
}

/** What the cadence of the change says as well comes last. */
function riskViews(risks: readonly Risk[]): RiskView[] {
  const views = risks.map(({ code, message, besideCadence = message }) => ({
    code,
    label: riskLabels[code],
    message,
    besideCadence,
  }));
  const isCadence = ({ code }: RiskView) => code === 'schedule';
  return [...views.filter((each) => !isCadence(each)), ...views.filter(isCadence)];
}

/** A name that repeats the key says nothing. */
export function nameBesideKey({ address, name }: Change | Drifted): string | null {
  return name === address.slice(address.indexOf('/') + 1) ? null : name;
}

function remarksOf({ action, adopted, origin, renamedFrom, reason }: Change): string[] {
  const isFromOutside = adopted && action !== 'adopt' && renamedFrom === undefined;
  return [
    ...(reason === undefined ? [] : [reason]),
    ...(isFromOutside ? ['adopted: not in the inventory yet'] : []),
    ...(origin === 'remote' || origin === 'both' ? [originText(origin)] : []),
  ];
}

/** See `ChangeView`. */
export function needsCare(change: Change, steps: readonly Step[]): boolean {
  const { action } = change;
  if (action === 'delete' || action === 'replace') return true;
  return deliversSecret(change) || steps.some((step) => step.delivery !== null);
}

/** Also without a request: a key that an earlier run kept. Shows what may run a program. */
export function deliversSecret({ fields }: Change): boolean {
  return fields.some(({ layout }) => layout === 'whole');
}

const riskLabels: Readonly<Record<Risk['code'], string>> = {
  delete: 'deletes',
  key: 'a key stops working',
  scopes: 'more scopes',
  schedule: 'runs more often or at other times',
  gap: 'no runs for long',
  load: 'many more starts',
  'starts-again': 'starts again',
  'starts-held': 'starts what is on hold',
  adopt: 'created outside this project',
  'owned-elsewhere': 'managed by another project',
  protection: 'protection lifted',
  'weaker-expectation': 'expects less',
  safeguard: 'weaker setting',
  'look-alike': 'similar name',
  'possible-duplicate': 'possible duplicate',
  policy: 'weaker policy',
  'breaks-unmanaged': 'needed by an object that is not managed here',
  'too-frequent': 'starts very often',
};

/** What must be read of it beside its cadence: its risks, and then its notes. */
export function sentencesOf({ risks, notes }: ChangeView): string[] {
  return [...risks.map(({ besideCadence }) => besideCadence), ...notes];
}

/** `3 members, expects columns and records`: nothing else says what is expected of an object that exists already. */
export function briefOf({ inBrief, fields }: Change): string | null {
  const expected = fields.find(({ path }) => path === 'expect')?.after;
  if (!isJsonObject(expected)) return inBrief ?? null;
  const names = `expects ${wordList(Object.keys(expected).sort(byCodeUnit), 'and')}`;
  return inBrief === undefined ? names : `${inBrief}, ${names}`;
}

/** Names of fields on one line. */
const MOST_NAMES = 5;

/**
 * A change on one line, escaped, the longest wording first: what changes, with values, and then with the names of fields
 * alone. Of what is created, deleted or adopted: what it is, in brief.
 */
export function factsOf({ change, cadence, fields }: ChangeView): string[][] {
  const { action } = change;
  const isChanged = action === 'update' || action === 'replace';
  const brief = briefOf(change);
  if (!isChanged && brief !== null) return [present(escapeControls(brief), cadenceBesideBrief(change))];
  const parts = fieldParts(fields);
  const namesOf = (list: readonly FieldView[]) =>
    isChanged
      ? some(
          list.map(({ path }) => escapeControls(path)),
          MOST_NAMES,
        )
      : '';
  const values = present(fieldLine(parts, escapeControls), namesOf(parts.below)).join(', ');
  const names = namesOf(fields.filter(({ isWhole }) => !isWhole));
  return [
    ...(parts.onLine.length === 0 ? [] : [present(values, weeklyText(change))]),
    present(names, cadence),
  ];
}

/**
 * What changes, and how often it runs then, on one line. Of what is only adopted: what it is. Null where the values do not
 * fit on a line, or must be seen whole.
 */
export function shortChange({ change, cadence, fields }: ChangeView): string | null {
  if (change.action === 'adopt') {
    const brief = briefOf(change);
    return present(brief === null ? null : escapeControls(brief), cadenceBesideBrief(change)).join(' · ');
  }
  const parts = fieldParts(fields);
  if (parts.below.length > 0 || fields.some(({ isWhole }) => isWhole)) return null;
  const values = fieldLine(parts, escapeControls);
  return present(...(values === null ? [cadence] : [values, weeklyText(change)])).join(' · ');
}

function present(...facts: readonly (string | null)[]): string[] {
  return facts.flatMap((each) => (each === null || each === '' ? [] : [each]));
}

/** Nothing is sent to the service. */
export function isInventoryOnly({ change }: ChangeView): boolean {
  return change.action === 'adopt' || change.action === 'forget';
}
