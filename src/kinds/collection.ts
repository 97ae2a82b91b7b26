import type { Kind, ReadContext } from '../model/kind.js';
import type { Call, ListCall, Request } from '../model/request.js';
import type { Agent, FieldRule, FieldRules, IdOrPending, Observed, Resolver } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import type { RemoteCollection } from '../service/operations/collection.js';
import type { GroupEntry, PipelineEntry } from './generated/entries.js';
import { normalText, plain, text } from './rules.js';

/**
 * Groups and pipelines are one idea to the interface (§2, §4): a name, a text, a switch, and agents, created by one
 * POST and changed by a PUT of properties and a PUT of agents. Their files say only in what they differ.
 */
export interface CollectionKind<F extends 'members' | 'stages', R extends Omit<RemoteCollection, 'agents'>> {
  readonly name: string;
  readonly section: string;
  /** The property of the manifest that lists the agents. */
  readonly field: F;
  readonly rule: FieldRule<readonly string[]>;
  /** Whether the order of the agents has a meaning. */
  readonly ordered: boolean;
  /** More agents are refused by the service. */
  readonly maximum: number | null;
  /** How many of so many agents a run starts at the same moment. */
  startsOf(agents: number): number;
  remoteAgents(remote: R): readonly string[] | null;
  list(): ListCall<R>;
  get(id: string): Call<R>;
  create(body: { name: string; description: string; agentIds: readonly string[] }): Request;
  update(id: IdOrPending, body: Properties): Request;
  replaceAgents(id: IdOrPending, agentIds: readonly string[]): Request;
  remove(id: string): Request;
  createdId(data: unknown): string | null;
}

/** What the interface's PUT takes; a property left out stays as it is. */
export interface Properties {
  readonly name?: string;
  readonly description?: string;
  readonly isActive?: boolean;
}

export interface CollectionDeclared {
  /** Null only for an external entry that is bound by its id alone. */
  readonly name: string | null;
  readonly description: string;
  readonly active: boolean;
  /** As written: externalAgentId, id or name. */
  readonly agents: readonly string[];
}

/** What the schema lets an entry of either kind say. */
type CollectionEntry = GroupEntry & PipelineEntry;

/** What both kinds' specs have. */
export interface Common {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
}

type CollectionSpec<F extends string> = Common & { readonly [K in F]: readonly string[] };

/** A field of `Common` without a rule does not compile. */
const commonRules: FieldRules<Common> = { name: text(), description: text('text'), active: plain() };

function keyed<F extends string, V>(key: F, value: V): { readonly [K in F]: V } {
  return { [key]: value } as { readonly [K in F]: V };
}

export function collectionKind<F extends 'members' | 'stages', R extends Omit<RemoteCollection, 'agents'>>(
  own: CollectionKind<F, R>,
): Kind<CollectionDeclared, CollectionSpec<F>> {
  type Spec = CollectionSpec<F>;
  const specOf = (common: Common, agents: readonly string[]): Spec => ({
    ...common,
    ...keyed(own.field, agents),
  });

  const observe = (remote: R): Observed<Spec> => {
    const { name, description, isActive } = remote;
    const spec = specOf(
      { name, description: description ?? '', active: isActive ?? true },
      own.remoteAgents(remote) ?? [],
    );
    return {
      kind: own.name,
      id: remote.id,
      rawId: remote.id,
      name,
      manageable: remote.canManage,
      spec: remote.complete ? spec : null,
      caller: false,
      facts: remote.facts,
    };
  };

  return {
    name: own.name,
    section: own.section,
    after: [],
    last: false,

    read: (entry, key, context) => readCollection(own, entry as CollectionEntry, key, context),
    refersTo: () => [],
    links: ({ agents }) => ({
      field: own.field,
      to: agents.map((agent) => `agent/${agent}`),
      ordered: own.ordered,
    }),
    declaredIdentity: (declared) => (declared.name === null ? null : normalText(declared.name)),

    list: () => {
      const call = own.list();
      return { ...call, parse: (item) => observe(call.parse(item)) };
    },
    detail: (id) => {
      const call = own.get(id);
      return { request: call.request, parse: (data) => observe(call.parse(data)) };
    },

    exists: () => true,
    resolve(entry, resolver) {
      const { name, description, active, agents } = entry.declared;
      const ids = resolveAgents(agents, own.field, resolver);
      return ids === undefined ? undefined : specOf({ name: name ?? entry.key, description, active }, ids);
    },
    fields: { ...commonRules, ...keyed(own.field, own.rule) } as FieldRules<Spec>,
    identityFields: ['name'],
    identity: (spec) => normalText(spec.name),
    observedIdentity: (observed) => (observed.name === null ? null : normalText(observed.name)),
    describe: (spec) => `named "${spec.name}"`,
    notSettableOnCreate: ['active'],
    similarIn: [],
    targets: () => [],
    agents: (spec) => spec[own.field],
    // What is paused cannot be run (interface §2).
    starts: (spec) => (spec.active ? own.startsOf(spec[own.field].length) : 0),

    create(spec, entry) {
      const body = { name: spec.name, description: spec.description, agentIds: spec[own.field] };
      const create = { request: own.create(body) };
      // The interface creates active objects and takes isActive only on update.
      if (spec.active) return [create];
      return [create, { request: own.update({ pending: entry.address }, { isActive: false }) }];
    },
    update(target, after, changed) {
      const properties: Properties = {
        ...(changed.has('name') ? { name: after.name } : {}),
        ...(changed.has('description') ? { description: after.description } : {}),
        ...(changed.has('active') ? { isActive: after.active } : {}),
      };
      const put = { request: own.update(target.id, properties) };
      const agents = { request: own.replaceAgents(target.id, after[own.field]) };
      if (!changed.has(own.field)) return [put];
      if (Object.keys(properties).length === 0) return [agents];
      // Never active with agents that no manifest declared together: switched off first, switched on last.
      return changed.has('active') && !after.active ? [put, agents] : [agents, put];
    },
    remove: (target) => [{ request: own.remove(target.id) }],
    bulk: null,
    createdId: (data) => own.createdId(data),
    secret: null,
    requiresReplace: () => false,
    rotationDue: () => null,
    expired: () => null,
    risks: ({ observed, after }) => (observed === null || after !== null ? [] : inUse(observed)),
    revokesCaller: () => false,
    timetable: null,
    saved: {
      facts: ['activeRunCount', 'lastRunAt'],
      hashed: [],
      placeholder: specOf({ name: '', description: '', active: true }, []),
    },
  };
}

/** How far somebody still works with what is about to go. */
function inUse({ facts }: Observed): Risk[] {
  const { activeRunCount: active, lastRunAt: last } = facts;
  const messages = [
    ...(typeof active === 'number' && active > 0 ? [`has ${active} of its runs in progress`] : []),
    ...(typeof last === 'string' ? [`ran last at ${last}`] : []),
  ];
  return messages.map((message) => ({ code: 'delete', message }));
}

function readCollection(
  own: { readonly field: 'members' | 'stages'; readonly name: string; readonly maximum: number | null },
  entry: CollectionEntry,
  key: string,
  context: ReadContext,
): CollectionDeclared {
  const agents = entry[own.field] ?? [];
  tellRepeats(agents, own.field, context);
  if (own.maximum !== null && agents.length > own.maximum) {
    const message = `a ${own.name} has at most ${own.maximum} ${own.field}, this one has ${agents.length}`;
    context.tell('error', 'too-many-stages', [own.field, own.maximum], message, 'Split it into two.');
  }
  const boundById = entry.external === true && entry.id !== undefined;
  return {
    name: entry.name ?? (boundById ? null : key),
    description: entry.description ?? '',
    active: entry.active ?? true,
    agents,
  };
}

function tellRepeats(agents: readonly string[], field: string, context: ReadContext): void {
  const seen = new Set<string>();
  agents.forEach((agent, index) => {
    const message = `agent "${agent}" is listed twice`;
    if (seen.has(agent)) context.tell('error', 'duplicate-agent', [field, index], message, 'Take one out.');
    seen.add(agent);
  });
}

/** Agents' GUIDs in the order written; undefined when one of them was told to be wrong. */
function resolveAgents(
  agents: readonly string[],
  field: string,
  resolver: Resolver,
): readonly string[] | undefined {
  const writtenAs = new Map<string, string>();
  const ids: string[] = [];
  agents.forEach((written, index) => {
    const agent: Agent | undefined = resolver.agent(written, [field, index]);
    if (agent === undefined) return;
    const other = writtenAs.get(agent.id);
    if (other === undefined) {
      writtenAs.set(agent.id, written);
      ids.push(agent.id);
      return;
    }
    const message = `"${written}" and "${other}" are the same agent`;
    resolver.tell('error', 'duplicate-agent', [field, index], message, 'Take one out.');
  });
  return ids.length === agents.length ? ids : undefined;
}
