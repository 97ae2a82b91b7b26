import { planBasis } from '../../src/engine/lookup.js';
import type { CollectionDeclared } from '../../src/kinds/collection.js';
import { kinds } from '../../src/kinds/index.js';
import type { KeyDeclared, KeySpec } from '../../src/kinds/key.js';
import type { ScheduleDeclared } from '../../src/kinds/schedule.js';
import type { ScheduleSpec } from '../../src/kinds/schedule-spec.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { emptyInventory, type Inventory, type InventoryEntry } from '../../src/model/inventory.js';
import { fieldValue } from '../../src/model/kind.js';
import type { Plan } from '../../src/model/plan.js';
import {
  type Address,
  type Agent,
  addressOf,
  type Declared,
  type Observed,
  type Suggest,
} from '../../src/model/resource.js';
import { defaultSafeguards } from '../../src/model/safeguards.js';
import { compare, type Planned, plan } from '../../src/reconcile/plan.js';
import { agentLookup } from '../../src/reconcile/references.js';
import type { Comparison, PlanBasis } from '../../src/reconcile/world.js';

/** Small worlds for tests of pure functions: what is declared, what exists, and what the inventory knows. */
export interface SmallWorld
  extends Partial<
    Pick<
      PlanBasis,
      | 'prune'
      | 'removed'
      | 'selected'
      | 'allow'
      | 'kinds'
      | 'now'
      | 'checkout'
      | 'committed'
      | 'kept'
      | 'siblings'
    >
  > {
  readonly entries?: readonly Declared[];
  readonly objects?: readonly Observed[];
  readonly inventory?: Inventory;
  readonly limits?: Partial<PlanBasis['project']['limits']>;
  readonly suggest?: Suggest;
}

const now = new Date('2026-11-01T00:00:00Z');

export const agents: readonly Agent[] = ['acme', 'globex'].map((name, index) => ({
  id: `aaaaaaaa-0000-4000-8000-00000000000${index}`,
  externalAgentId: name,
  name,
  inputKeys: ['country'],
}));

type EntryOptions = Partial<
  Pick<Declared, 'id' | 'formerly' | 'ignore' | 'protect' | 'external' | 'templates' | 'source'>
>;

function entry<D>(kind: string, key: string, declared: D, options: EntryOptions = {}): Declared<D> {
  const source = { file: 'roster.yaml', line: 1, column: 1, length: 1, lineText: key };
  return {
    address: addressOf(kind, key),
    kind,
    key,
    declared,
    id: null,
    formerly: null,
    protect: false,
    external: false,
    templates: {},
    source,
    placeOf: () => source,
    ...options,
  };
}

export function group(key: string, part: Partial<CollectionDeclared> = {}, options?: EntryOptions): Declared {
  return entry('group', key, { name: key, description: '', active: true, agents: [], ...part }, options);
}

const daily = {
  every: null,
  cron: '0 0 6 * * *',
  once: null,
  startTime: '2026-01-01T00:00:00',
  timeZone: 'UTC',
  inputs: {},
  enabled: true,
} as const;

export function schedule(
  key: string,
  part: Partial<ScheduleDeclared> = {},
  options?: EntryOptions,
): Declared {
  return entry('schedule', key, { target: 'agent/acme', ...daily, ...part }, options);
}

export function apiKey(key: string, part: Partial<KeyDeclared> = {}, options?: EntryOptions): Declared {
  const deliver = { file: `${key}.key` };
  return entry('key', key, { name: key, scopes: [], rotateAfter: null, deliver, ...part }, options);
}

interface GroupSpec {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly members: readonly string[];
}

function observed<S>(kind: string, id: string, spec: S, name: string | null): Observed<S> {
  return { kind, id, rawId: id, name, manageable: true, caller: false, facts: {}, spec };
}

export function remoteGroup(id: string, part: Partial<GroupSpec> = {}): Observed {
  const spec = { name: id, description: '', active: true, members: [], ...part };
  return observed('group', id, spec, spec.name);
}

export function remoteSchedule(id: string, part: Partial<ScheduleSpec> = {}): Observed {
  const target = { kind: 'agent', id: agents[0]?.id ?? '' };
  return observed('schedule', id, { target, ...daily, ...part }, null);
}

export function remoteKey(id: string, part: Partial<KeySpec> = {}): Observed {
  const spec = { name: id, scopes: [], ...part };
  return observed('key', id, spec, spec.name);
}

/**
 * An inventory with these objects; `parts` for what else it knows of them. Unless `applied` has it, the natural key of
 * each object is filled in by `reconcileWorld`.
 */
export function owning(
  ids: Readonly<Record<Address, string | null>>,
  parts: Partial<InventoryEntry> = {},
): Inventory {
  const entries = Object.entries(ids).map(([address, id]): [Address, InventoryEntry] => {
    const kind = address.slice(0, address.indexOf('/'));
    return [address, { kind, id, name: id, protect: false, applied: {}, sensitive: [], ...parts }];
  });
  return { ...emptyInventory('small', null), entries: new Map(entries) };
}

/** With the natural keys of the objects, as an apply records them. */
export function withIdentities(inventory: Inventory, objects: readonly Observed[]): Inventory {
  const entries = [...inventory.entries].map(([address, known]): [Address, InventoryEntry] => {
    const kind = kinds.find(({ name }) => name === known.kind);
    const spec = objects.find(({ kind: name, id }) => name === known.kind && id === known.id)?.spec;
    if (kind === undefined || spec == null) return [address, known];
    const identity = kind.identity.fields.map((field) => [field, fieldValue(kind, spec, field)]);
    return [address, { ...known, applied: { ...Object.fromEntries(identity), ...known.applied } }];
  });
  return { ...inventory, entries: new Map(entries) };
}

/** What a plan is made from, complete but for what matters. */
export function basisWith(parts: Partial<PlanBasis> & Pick<PlanBasis, 'project'>): PlanBasis {
  const { project } = parts;
  const known = {
    project,
    service: 'https://collect.example.com',
    state: { account: null, objects: new Map(), agents },
    inventory: emptyInventory(project.name, null),
    now: parts.now ?? now,
  };
  return planBasis(known, {}, { agents: agentLookup(agents, () => null), ...parts });
}

export function reconcileWorld(small: SmallWorld): Comparison & Planned {
  const { entries = [], objects = [], limits, inventory, suggest = () => null, ...world } = small;
  const prune = world.prune === undefined || world.prune === 'destroy' ? 'owned' : world.prune;
  const project = {
    file: 'roster.yaml',
    root: '/project',
    name: 'small',
    environment: null,
    url: null,
    inventory: { file: 'roster.inventory.json' },
    prune,
    limits: { ...defaultSafeguards.limits, startsPerMinute: 100, ...limits },
    scopes: [],
    entries,
    secrets: [],
  };
  const comparison = compare(
    basisWith({
      project,
      agents: agentLookup(agents, suggest),
      objects: new Map(kinds.map(({ name }) => [name, objects.filter((each) => each.kind === name)])),
      inventory: withIdentities(inventory ?? emptyInventory('small', null), objects),
      ...world,
    }),
  );
  return { ...comparison, ...plan(comparison) };
}

/** The plan of a world. Throws when there are errors. */
export function planOf(world: SmallWorld): Plan {
  const { plan, diagnostics } = reconcileWorld(world);
  if (plan === null) throw new Error(`no plan: ${codesOf(diagnostics).join(', ')}`);
  return plan;
}

export function codesOf(problems: readonly Pick<Diagnostic, 'code'>[]): string[] {
  return problems.map(({ code }) => code);
}

/** `action address`, for every change that does something. */
export function actionsOf({ changes }: Pick<Plan, 'changes'>): string[] {
  return changes
    .filter(({ action }) => action !== 'none')
    .map(({ action, address }) => `${action} ${address}`);
}
