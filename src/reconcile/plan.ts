import { type Diagnostic, hasErrors } from '../model/diagnostic.js';
import type { CreateIntent, Inventory } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Change, InventoryRecord, Plan } from '../model/plan.js';
import type {
  Address,
  Agent,
  Desired,
  KindName,
  Names,
  Observed,
  Project,
  Prune,
} from '../model/resource.js';
import { agentLookup } from './agent-lookup.js';
import { diff, type ResourceDiff, recordOf } from './diff.js';
import { digestOf } from './digest.js';
import { type Allowances, objections } from './guard.js';
import { linksOf, linksOfGone } from './links.js';
import { type Match, match } from './match.js';
import { namesOf } from './names.js';
import { order } from './order.js';
import { type Selector, select } from './select.js';
import { startRateWarnings } from './start-rate.js';
import { duplicateWarnings } from './unmanaged-duplicates.js';

/** All that a plan is made of. No clock, no network, no file: what is needed of them is handed in. */
export interface ReconcileInputs {
  readonly project: Project;
  /** The service's origin and base path, as the plan names it. */
  readonly service: string;
  /** Whose keys the service lists; null where it lists none. */
  readonly account: string | null;
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  readonly prune: Prune;
  readonly now: Date;
  readonly allow: Allowances;
  /** What the user named; null for all. */
  readonly selected: readonly Selector[] | null;
  /** Why a new key of an entry could not be delivered; entries whose keys can be delivered are missing. */
  readonly undeliverable: ReadonlyMap<Address, string>;
  nearest(word: string, known: readonly string[]): string | null;
}

export interface Reconciled {
  /** Null when there are errors: nothing may be planned on a project that is not understood. */
  readonly plan: Plan | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly matches: readonly Match[];
  /** Entries that refer to somebody else's objects. */
  readonly externals: ReadonlyMap<Address, Observed>;
  readonly names: Names;
}

/** Desired and observed in, plan out. Pure. */
export function reconcile(inputs: ReconcileInputs): Reconciled {
  const { project, kinds, objects, inventory, prune, now } = inputs;
  const lookup = agentLookup(inputs.agents, inputs.nearest);
  const matches = match({ kinds, entries: project.entries, objects, inventory, agents: lookup, prune });
  const names = namesOf(matches.list, matches.externals, lookup);
  const all = matches.list.flatMap((each) => diff(each, { names, prune, now }) ?? []);
  const { kept, diagnostics: idle } = select(all, inputs.selected, project.entries, inputs.nearest);
  const diffs = kept.sort((a, b) => readingOrder(kinds, a, b));
  const own = [...matches.diagnostics, ...diffs.flatMap((each) => each.diagnostics)];
  // That an address matches nothing may only follow from an error of its entry.
  const warnings = [
    ...idle,
    ...duplicateWarnings(matches.list, prune),
    ...startRateWarnings(inputs, matches),
  ];
  const diagnostics = hasErrors(own) ? own : [...own, ...warnings];
  const plan = hasErrors(diagnostics) ? null : assemble(inputs, matches.list, diffs, names, diagnostics);
  return {
    plan,
    diagnostics,
    matches: matches.list,
    externals: matches.externals,
    names,
  };
}

function assemble(
  inputs: ReconcileInputs,
  matches: readonly Match[],
  diffs: readonly ResourceDiff[],
  names: Names,
  diagnostics: readonly Diagnostic[],
): Plan {
  const { project, service, account, kinds, allow, now, undeliverable } = inputs;
  const { steps, stepsOf } = order(diffs);
  const caller = callerInWords(inputs.objects);
  const changes: Change[] = diffs.map(({ change, revokesCaller, match: { observed } }) => ({
    ...change,
    notes: revokesCaller ? [...change.notes, accessEnds(observed, caller)] : change.notes,
    steps: stepsOf.get(change.address) ?? [],
  }));
  const body = { project: project.name, environment: project.environment, service, account, changes, steps };
  return {
    ...body,
    digest: digestOf(body, diffs),
    links: [
      ...linksOf(
        project.entries,
        kinds.filter((kind) => kind.after.length > 0),
      ),
      ...linksOfGone(
        diffs.filter(({ change }) => change.action === 'delete').map((each) => each.match),
        names,
      ),
    ],
    ...intentsAndRecords(diffs, now),
    objections: objections({ project, matches, diffs, steps, allow, now, undeliverable }),
    diagnostics,
  };
}

function intentsAndRecords(
  diffs: readonly ResourceDiff[],
  now: Date,
): Pick<Plan, 'records' | 'createIntents'> {
  const records: Record<Address, InventoryRecord> = {};
  const createIntents: Record<Address, CreateIntent> = {};
  for (const { match: each, change } of diffs) {
    if (each.entry === null) continue;
    const expired = each.kind.expired(each.entry.declared, now) !== null;
    const record = recordOf(each, each.entry, expired);
    records[change.address] = record;
    if (change.action !== 'create' && change.action !== 'replace') continue;
    createIntents[change.address] = createIntent(each.kind, each.entry, record);
  }
  return { records, createIntents };
}

/** A natural key of which a part came from the environment is not written down. */
function createIntent(kind: Kind, entry: Desired, { name, applied }: InventoryRecord): CreateIntent {
  const identity = kind.identity(entry.spec);
  const hidden = entry.sensitive.some((field) => kind.identityFields.includes(field));
  return { identity, draft: { kind: kind.name, name, identity: hidden ? null : identity, applied } };
}

function readingOrder(kinds: readonly Kind[], a: ResourceDiff, b: ResourceDiff): number {
  const rank = (each: ResourceDiff) => kinds.indexOf(each.match.kind);
  return rank(a) - rank(b) || byCodeUnit(a.change.address, b.change.address);
}

/** The risks have said which key that is where it is the change's own. */
function accessEnds(observed: Observed | null, { only, words }: Caller): string {
  return only !== null && only === observed ? 'roster calls with this key' : `ends the access of ${words}`;
}

interface Caller {
  /** Null where it cannot be told from others. */
  readonly only: Observed | null;
  readonly words: string;
}

function callerInWords(objects: ReadonlyMap<KindName, readonly Observed[]>): Caller {
  const callers = [...objects.values()].flat().filter((each) => each.caller);
  const [only] = callers;
  if (only === undefined || callers.length > 1)
    return { only: null, words: 'the key that roster calls with' };
  const lastUsed = only.facts['lastUsedDate'];
  const prefix = only.facts['keyPrefix'];
  const about = [
    ...(typeof prefix === 'string' ? [`${prefix}…`] : []),
    ...(typeof lastUsed === 'string' ? [`last used ${lastUsed}`] : []),
  ];
  const known = about.length === 0 ? '' : ` (${about.join(', ')})`;
  return { only, words: `the key "${only.name ?? ''}"${known}, which roster calls with` };
}
