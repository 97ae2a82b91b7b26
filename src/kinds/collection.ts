import { unhidden } from '../model/digest.js';
import type { Risk } from '../model/finding.js';
import type { Kind, Listing, ListingContext, PlannedRequest, ReadContext } from '../model/kind.js';
import type { FieldRule, FieldRules, Observed, Resolver } from '../model/resource.js';
import type { Runs, StartByHand } from '../model/run.js';
import { wholeNumber } from '../model/shape.js';
import { count, instantText } from '../model/words.js';
import type { CollectionOperations, RemoteCollection } from '../service/operations/collection.js';
import { isNumber, UNREADABLE } from '../service/operations/record.js';
import type { GroupEntry, PipelineEntry } from './generated/entries.js';
import { collectionEntryForm, instantOf, normalText, plain, text, UNKNOWN } from './rules.js';

type Field = 'members' | 'stages';

/**
 * Groups and pipelines are almost the same to the service (interface §2, §4): a name, a description, a switch, and
 * agents, created by one POST and changed by a PUT of the properties and a PUT of the agents. This is where they differ.
 */
export interface CollectionDefinition<F extends Field> {
  readonly name: string;
  readonly section: string;
  readonly shape: string;
  readonly field: F;
  readonly noun: string;
  readonly rule: FieldRule<readonly string[]>;
  readonly ordered: boolean;
  /** The most agents that the service accepts; null for no limit. */
  readonly maximum: number | null;
  /** How many of that many agents a run starts at the same moment. */
  startsAtOnce(agents: number): number;
  readonly operations: CollectionOperations;
  readonly startByHand: StartByHand;
}

export interface CollectionDeclared {
  /** Null only for an external entry that is bound by its id. */
  readonly name: string | null;
  readonly description: string;
  readonly active: boolean;
  /** As written: externalAgentId, id or name. */
  readonly agents: readonly string[];
}

/** What the schema allows in an entry of either kind. */
type CollectionEntry = GroupEntry & PipelineEntry;

export interface CommonSpec {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
}

type CollectionSpec<F extends string> = CommonSpec & { readonly [K in F]: readonly string[] };

const anyText = text('text');

const propertyRules: FieldRules<CommonSpec> = {
  name: text(),
  description: {
    ...anyText,
    // A snapshot may hold only its hash.
    canonical: (value) => (typeof value === 'string' ? anyText.canonical(value) : value),
    show: unhidden,
    mayHoldSecrets: true,
  },
  active: plain(),
};

function keyed<F extends string, V>(key: F, value: V): { readonly [K in F]: V } {
  return { [key]: value } as { readonly [K in F]: V };
}

export function collectionKind<F extends Field>(
  own: CollectionDefinition<F>,
): Kind<CollectionDeclared, CollectionSpec<F>> {
  type Spec = CollectionSpec<F>;
  const { name, section, shape, field, operations } = own;
  return {
    name,
    section,
    shape,
    read: (entry, key, context) => readCollection(own, entry as CollectionEntry, key, context),
    resolve({ key, declared: { name, description, active, agents } }, resolver) {
      const ids = resolveAgents(agents, field, resolver);
      return ids && { name: name ?? key, description, active, ...keyed(field, ids) };
    },
    list: () => {
      const call = operations.list();
      return { ...call, parse: (item) => observe(own, call.parse(item)) };
    },
    detail: (id) => {
      const call = operations.get(id);
      return { request: call.request, parse: (data) => observe(own, call.parse(data)) };
    },
    // An update changes only the properties that it names. Nothing brings back what was deleted.
    reread: { before: ['DELETE'] },
    fields: { ...propertyRules, ...keyed(field, own.rule) } as FieldRules<Spec>,
    identity: {
      fields: ['name'],
      of: (spec) => normalText(spec.name),
      ofDeclared: ({ name }) => name && normalText(name),
      ofObserved: ({ name }) => name && normalText(name),
      describe: (spec) => `named "${spec.name}"`,
    },
    entry: collectionEntryForm,
    listing: (each, context) => listCollection(each, field, each.spec?.[field] ?? null, context),
    nearMiss: { field: 'name', isName: true, relation: 'with a similar name' },
    brief: (spec) => count(spec[field].length, own.noun, field),

    create: (spec, { address }) => createCollection(own, spec, address),
    notSettableOnCreate: ['active'],
    update: ({ id }, after, changed) => updateCollection(own, id, after, changed),
    remove: ({ id }) => [{ request: operations.remove(id) }],
    createdId: operations.createdId,

    links: ({ agents }) => ({ field, to: agents.map((agent) => `agent/${agent}`), ordered: own.ordered }),
    runs: runsOf(own),
    startByHand: own.startByHand,
    risks: ({ observed, after }) => (observed === null || after !== null ? [] : useRisks(observed)),
    snapshot: {
      facts: ['activeRunCount', 'lastRunAt'],
      placeholder: { name: '', description: '', active: true, ...keyed(field, []) },
    },
  };
}

/** A paused object cannot be run (interface §2). */
function runsOf<F extends Field>({ field, startsAtOnce }: CollectionDefinition<F>): Runs<CollectionSpec<F>> {
  return {
    isActive: ({ active }) => active,
    activeField: 'active',
    agents: (spec) => spec[field],
    startsAtOnce: (spec) => (spec.active ? startsAtOnce(spec[field].length) : 0),
  };
}

function observe<F extends Field>(
  own: CollectionDefinition<F>,
  { id, name, description, isActive, canManage, agents, complete, facts }: RemoteCollection,
): Observed<CollectionSpec<F>> {
  const spec = {
    name,
    description: description ?? '',
    active: isActive ?? true,
    ...keyed(own.field, agents ?? []),
  };
  return {
    kind: own.name,
    id,
    rawId: id,
    name,
    manageable: canManage,
    spec: complete ? spec : null,
    caller: false,
    facts,
  };
}

function createCollection<F extends Field>(
  { operations, field }: CollectionDefinition<F>,
  spec: CollectionSpec<F>,
  address: string,
): PlannedRequest[] {
  const { name, description, active } = spec;
  const create = { request: operations.create({ name, description, agentIds: spec[field] }) };
  // The service creates active objects; isActive can only be set by an update.
  if (active) return [create];
  return [create, { request: operations.update({ pending: address }, { isActive: false }) }];
}

function updateCollection<F extends Field>(
  { operations, field }: CollectionDefinition<F>,
  id: string,
  after: CollectionSpec<F>,
  changed: ReadonlySet<string>,
): PlannedRequest[] {
  const properties: { name?: string; description?: string; isActive?: boolean } = {};
  if (changed.has('name')) properties.name = after.name;
  if (changed.has('description')) properties.description = after.description;
  if (changed.has('active')) properties.isActive = after.active;
  const put = { request: operations.update(id, properties) };
  const agents = { request: operations.replaceAgents(id, after[field]) };
  if (!changed.has(field)) return [put];
  if (Object.keys(properties).length === 0) return [agents];
  // Never active with agents that no manifest declared together: switched off first, switched on last.
  return changed.has('active') && !after.active ? [put, agents] : [agents, put];
}

/** Signs that somebody still uses an object that is about to be deleted. */
function useRisks({ facts }: Observed): Risk[] {
  const { activeRunCount: active, lastRunAt: last } = facts;
  const messages: string[] = [];
  if (isNumber(active) && Number(active) > 0)
    messages.push(`has ${count(Number(active), 'run')} in progress`);
  if (active === UNREADABLE)
    messages.push('may have runs in progress: the service returned an unreadable count');
  if (typeof last === 'string') messages.push(`last run at ${instantText(last)}`);
  return messages.map((message) => ({ code: 'delete', message }));
}

function readCollection(
  own: { readonly field: Field; readonly name: string; readonly maximum: number | null },
  entry: CollectionEntry,
  key: string,
  context: ReadContext,
): CollectionDeclared {
  const agents = entry[own.field] ?? [];
  reportRepeats(agents, own.field, context);
  if (own.maximum !== null && agents.length > own.maximum) {
    context.report({
      severity: 'error',
      code: 'too-many-stages',
      path: [own.field, own.maximum],
      message: `a ${own.name} has at most ${own.maximum} ${own.field}, but this one has ${agents.length}`,
      help: 'Split it into two.',
    });
  }
  const isBoundById = entry.external === true && entry.id !== undefined;
  return {
    name: entry.name ?? (isBoundById ? null : key),
    description: entry.description ?? '',
    active: entry.active ?? true,
    agents,
  };
}

/** A list item may lack the agents: then their number is shown where the service gives it. */
function listCollection(
  { spec, facts }: Observed<{ readonly active: boolean }>,
  field: string,
  agents: readonly string[] | null,
  { names }: ListingContext,
): Listing {
  const number = agents?.length ?? wholeNumber(facts['memberCount'] ?? facts['stepCount']);
  const active = spec?.active ?? null;
  const lastRunAt = instantOf(facts['lastRunAt']);
  return {
    values: { active, [field]: agents?.map((id) => names.agent(id)) ?? null, lastRunAt },
    columns: {
      [field]: number === null ? UNKNOWN : String(number),
      state: active === null ? UNKNOWN : active ? 'active' : 'inactive',
      'last run': lastRunAt === null ? '-' : instantText(lastRunAt),
    },
  };
}

function reportRepeats(agents: readonly string[], field: string, { report }: ReadContext): void {
  const seen = new Set<string>();
  agents.forEach((agent, index) => {
    if (seen.has(agent)) report(repeated([field, index], `agent "${agent}" is listed twice`));
    seen.add(agent);
  });
}

function repeated(path: readonly (string | number)[], message: string) {
  return { severity: 'error', code: 'duplicate-agent', path, message, help: 'Remove one of them.' } as const;
}

/** GUIDs of the agents in the order written; undefined when a problem was reported. */
function resolveAgents(
  agents: readonly string[],
  field: string,
  resolver: Resolver,
): readonly string[] | undefined {
  const writtenAs = new Map<string, string>();
  agents.forEach((written, index) => {
    const agent = resolver.agent(written, [field, index]);
    if (agent === undefined) return;
    const other = writtenAs.get(agent.id);
    if (other === undefined) writtenAs.set(agent.id, written);
    else resolver.report(repeated([field, index], `"${written}" and "${other}" are the same agent`));
  });
  return writtenAs.size === agents.length ? [...writtenAs.keys()] : undefined;
}
