import type { Hold } from '../../model/hold.js';
import type { HoldAction, HoldPlan } from '../../model/hold-plan.js';
import type { Inventory } from '../../model/inventory.js';
import { byCodeUnit } from '../../model/json.js';
import type { Change, InventoryRecord, Plan } from '../../model/plan.js';
import type { Address, Names, Project } from '../../model/resource.js';
import { defaultSafeguards } from '../../model/safeguards.js';
import type { ResourceDiff } from '../diff.js';
import { digestOf } from '../digest.js';
import { fieldChange } from '../field-change.js';
import type { Match } from '../match/match.js';
import { order } from '../order.js';
import { type HoldEffect, holdEffect, resumeEffect } from './hold-effects.js';

export interface HoldInputs {
  readonly action: HoldAction;
  /** Null for `resume`. */
  readonly hold: Hold | null;
  /** Only those that the inventory knows. */
  readonly matches: readonly Match[];
  readonly names: Names;
  readonly project: Project;
  readonly service: string;
  readonly account: string | null;
  readonly inventory: Inventory;
  readonly now: Date;
}

/** A plan that pauses or enables, and changes nothing else, whatever else differs from the manifests. */
export function holdPlan(inputs: HoldInputs): HoldPlan {
  const { action, hold, inventory } = inputs;
  const effects = inputs.matches
    .flatMap((match) => effectOf(match, inputs) ?? [])
    .sort((a, b) => byCodeUnit(a.address, b.address));
  const entries = effects.map(({ address, before }) => [address, before] as const);
  return {
    action,
    hold,
    resources: effects.map(({ address, match, effect, why }) => ({
      address,
      kind: match.kind.name,
      id: match.known?.id ?? null,
      effect,
      why,
    })),
    plan: planOf(inputs, effects),
    intent: { ...inventory, entries: new Map([...inventory.entries, ...entries]) },
  };
}

interface RecordedEffect extends HoldEffect {
  readonly address: Address;
}

function effectOf(match: Match, { hold, inventory, now }: HoldInputs): RecordedEffect | null {
  const address = recordedAddress(match, inventory);
  const known = inventory.entries.get(address);
  if (known === undefined) return null;
  const effect = hold === null ? resumeEffect(match, known, now) : holdEffect(match, known, hold, now);
  return { address, ...effect };
}

/** Where the inventory has it: not yet under another key that its entry has by now. */
export function recordedAddress(match: Match, { entries }: Inventory): Address {
  return entries.has(match.address) ? match.address : (match.renamedFrom ?? match.address);
}

/** The settings of the last apply stay those that are recorded: this is none. */
function planOf(inputs: HoldInputs, effects: readonly RecordedEffect[]): Plan {
  const { project, service, account, inventory, names, hold } = inputs;
  const acting = effects.filter(({ effect }) => effect === 'pause' || effect === 'enable');
  const diffs = acting.map((each) => diffOf(each, hold !== null, names));
  const { steps, stepsOf } = order(diffs);
  const changes = diffs.map(
    ({ change }): Change => ({ ...change, steps: stepsOf.get(change.address) ?? [] }),
  );
  const body = {
    project: project.name,
    environment: project.environment,
    service,
    account,
    inventory: inventory.place ?? project.inventory,
    safeguards: inventory.safeguards ?? defaultSafeguards,
    held: heldBy(effects),
    changes,
    steps,
  };
  return { ...body, ...digestOf(body, diffs), ...nothingElse, records: recordsOf(acting) };
}

/** What plans of manifests have besides. */
const nothingElse = {
  risks: [],
  startsPerWeek: { before: 0, after: 0, unknown: { before: 0, after: 0 } },
  unmanaged: {},
  links: [],
  createIntents: {},
  objections: [],
  diagnostics: [],
} satisfies Partial<Plan>;

/** Part of the digest. */
function heldBy(effects: readonly RecordedEffect[]): Record<Address, Hold> {
  return Object.fromEntries(
    effects.flatMap(({ address, after }) => (after.hold === undefined ? [] : [[address, after.hold]])),
  );
}

function recordsOf(effects: readonly RecordedEffect[]): Record<Address, InventoryRecord> {
  return Object.fromEntries(effects.map(({ address, after: { id: _, ...record } }) => [address, record]));
}

function diffOf({ match, address }: RecordedEffect, paused: boolean, names: Names): ResourceDiff {
  const { kind, observed } = match;
  if (kind.pausing === undefined || kind.update === undefined || observed?.id == null)
    throw new Error(`${address} cannot be paused`);
  const { field } = kind.pausing;
  const { id, name, spec: before } = observed;
  const after = kind.pausing.with(before, paused);
  const existing = { id, rawId: observed.rawId ?? id, before };
  const sides = { before, after, origin: 'manifest', names } as const;
  return {
    match,
    change: {
      address,
      kind: kind.name,
      action: 'update',
      id,
      name,
      origin: 'manifest',
      adopted: false,
      fields: [fieldChange(match, field, sides)],
      nextRuns: null,
      risks: [],
      notes: [],
      source: null,
    },
    requests: kind.update(existing, after, new Set([field])),
    revokesCaller: false,
    diagnostics: [],
  };
}
