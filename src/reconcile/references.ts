import type { Diagnostic } from '../model/diagnostic.js';
import { groupBy, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { resolveIdentity, resolveValues } from '../model/pending.js';
import {
  type Address,
  type Agent,
  type Declared,
  type Desired,
  type EntryProblem,
  type IdOrPending,
  isPending,
  type KindName,
  type ObjectRef,
  type Resolver,
  type Suggest,
} from '../model/resource.js';
import { namedIds } from '../model/words.js';

/** The agent, or why there is none. */
type AgentResult = { readonly agent: Agent } | Pick<EntryProblem, 'code' | 'message' | 'help'>;

/** Finds agents as manifests name them: by externalAgentId, else by id, else by a unique name (contract §2). */
export interface AgentLookup {
  readonly all: readonly Agent[];
  find(written: string): AgentResult;
  byId(id: string): Agent | undefined;
  readonly suggest: Suggest;
}

export function agentLookup(agents: readonly Agent[], suggest: Suggest): AgentLookup {
  const byExternalId = new Map(agents.map((agent) => [agent.externalAgentId, agent]));
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const byName = groupBy(agents, nameOf);

  const find = (written: string): AgentResult => {
    const exact = byExternalId.get(written) ?? byId.get(written.toLowerCase());
    if (exact !== undefined) return { agent: exact };
    const named = byName.get(written.normalize('NFC').trim()) ?? [];
    const [only] = named;
    if (only !== undefined && named.length === 1) return { agent: only };
    return only === undefined ? unknownAgent(written) : ambiguousAgent(written, named);
  };
  const unknownAgent = (written: string): AgentResult => {
    const closest = suggest(written, [...byExternalId.keys(), ...byName.keys()]);
    const hint = closest === null ? '' : `Did you mean "${closest}"? `;
    return {
      code: 'unknown-agent',
      message: `no agent "${written}" is assigned to this account`,
      help: `${hint}Refer to the agent by its externalAgentId, its id or its name.`,
    };
  };
  return { all: agents, find, byId: (id) => byId.get(id.toLowerCase()), suggest };
}

function ambiguousAgent(written: string, named: readonly Agent[]): AgentResult {
  const ids = namedIds(named.map((agent) => agent.externalAgentId));
  return {
    code: 'ambiguous-agent',
    message: `${named.length} agents are named "${written}"`,
    help: `Use one of their externalAgentIds: ${ids}.`,
  };
}

function nameOf(agent: Agent): string {
  return agent.name.normalize('NFC').trim();
}

/** Replaces the names in entries by ids. Knows the ids and agents of everything that was matched before. */
export class ReferenceResolver {
  private readonly ids = new Map<Address, IdOrPending>();
  private readonly agentIds = new Map<Address, readonly string[]>();

  constructor(
    private readonly agents: AgentLookup,
    private readonly diagnostics: Diagnostic[],
  ) {}

  /** `spec` is null where the service does not show all of it. */
  add(address: Address, id: IdOrPending, kind: Kind, spec: unknown): void {
    this.ids.set(address, id);
    if (spec !== null && kind.runs !== undefined) this.agentIds.set(address, kind.runs.agents(spec));
  }

  /** Empty when a problem was reported. */
  resolve(kind: Kind, entry: Declared): Desired[] {
    if (entry.lacking !== undefined) {
      this.diagnostics.push(...entry.lacking);
      return [];
    }
    const spec = kind.resolve(entry, this.resolverFor(entry));
    // In Node 20, an object that begins with a spread takes three times the memory.
    return spec === undefined ? [] : [{ spec, ...entry }];
  }

  /** A natural key, with the known ids in place of pending ones. */
  identity(kind: Kind, identity: string): string {
    return resolveIdentity(kind, identity, this.ids);
  }

  /** Whether something that can be read is none of these addresses, as an entry may write them. */
  isOther({ kind, id }: ObjectRef, written: readonly Address[]): boolean {
    const ofKind = written.filter((each) => each.startsWith(`${kind}/`));
    if (ofKind.length === 0) return true;
    const names = isPending(id) ? [] : kind === 'agent' ? this.agentNames(id) : this.addressesOf(kind, id);
    return names.length > 0 && !ofKind.some((each) => names.includes(comparable(each)));
  }

  private agentNames(id: string): readonly string[] {
    const agent = this.agents.byId(id);
    if (agent === undefined) return [];
    return [agent.externalAgentId, agent.id, agent.name].map((each) => comparable(`agent/${each}`));
  }

  private addressesOf(kind: KindName, id: string): readonly string[] {
    return [...this.ids].flatMap(([address, each]) =>
      each === id && address.startsWith(`${kind}/`) ? [comparable(address)] : [],
    );
  }

  /** Canonical values of fields, with the known ids in place of pending ones. */
  values(kind: Kind, values: JsonObject): JsonObject {
    return resolveValues(kind, values, this.ids);
  }

  private resolverFor(entry: Declared): Resolver {
    const { agents } = this;
    const report: Resolver['report'] = (problem) => {
      this.diagnostics.push(entryDiagnostic(entry, problem));
    };
    return {
      report,
      suggest: agents.suggest,
      agent: (name, path) => {
        const result = agents.find(name);
        if ('agent' in result) return result.agent;
        report({ severity: 'error', path, ...result });
        return undefined;
      },
      // Undefined when the other entry has an error of its own, which is reported there.
      idOf: (address) => this.ids.get(address),
      agentsOf: (address) => {
        if (!address.startsWith('agent/'))
          return (this.agentIds.get(address) ?? []).flatMap((each) => agents.byId(each) ?? []);
        const result = agents.find(address.slice('agent/'.length));
        return 'agent' in result ? [result.agent] : [];
      },
    };
  }
}

/** Ids are written in either case, and names with spaces around them. */
function comparable(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/**
 * A problem of one entry with its place. Its texts may show the value at `path`. If that value came from the
 * environment, which is never shown, they are replaced.
 */
export function entryDiagnostic(
  entry: Declared,
  { severity, code, path, message, help, at }: EntryProblem,
): Diagnostic {
  const place = entry.placeOf(path, at);
  const about = { place, address: entry.address };
  const [field = ''] = path;
  // A name of an input never comes from there.
  if (at !== 'key' && Object.hasOwn(entry.templates, field)) {
    const general = `the value of \`${field}\`, which comes from the environment, is not valid here`;
    return { severity, code, message: general, ...about };
  }
  return { severity, code, message, ...about, help };
}
