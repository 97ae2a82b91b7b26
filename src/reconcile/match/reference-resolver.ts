import type { Diagnostic } from '../../model/diagnostic.js';
import { canonical, type JsonObject } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Address, Agent, Declared, Desired, IdOrPending, Resolver } from '../../model/resource.js';
import type { AgentLookup } from './agent-lookup.js';
import { entryDiagnostic } from './entry-diagnostic.js';

/** Replaces the names in entries by ids. Knows the ids and agents of everything that was matched before. */
export class ReferenceResolver {
  private readonly ids = new Map<Address, IdOrPending>();
  private readonly agentsByAddress = new Map<Address, readonly Agent[]>();

  constructor(
    private readonly agents: AgentLookup,
    private readonly diagnostics: Diagnostic[],
  ) {}

  /** `spec` is null where the service does not show all of it. */
  add(address: Address, id: IdOrPending, kind: Kind, spec: unknown): void {
    this.ids.set(address, id);
    if (spec === null) return;
    const ids = kind.runs?.agents(spec) ?? [];
    this.agentsByAddress.set(
      address,
      ids.flatMap((each) => this.agents.byId(each) ?? []),
    );
  }

  /** Empty when a problem was reported. */
  resolve(kind: Kind, entry: Declared): Desired[] {
    const spec = kind.resolve(entry, this.resolverFor(entry));
    return spec === undefined ? [] : [{ ...entry, spec }];
  }

  /** A natural key, with ids in place of the addresses of pending objects. */
  identity(identity: string): string {
    return this.withIds(identity);
  }

  /** Canonical values of fields, with ids in place of the addresses of pending objects. */
  values(values: JsonObject): JsonObject {
    return JSON.parse(this.withIds(canonical(values))) as JsonObject;
  }

  private withIds(text: string): string {
    return text.replace(/\{"pending":"([^"\\]+)"\}/g, (pending, address: Address) => {
      const id = this.ids.get(address);
      return typeof id === 'string' ? JSON.stringify(id) : pending;
    });
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
        if (!address.startsWith('agent/')) return this.agentsByAddress.get(address) ?? [];
        const result = agents.find(address.slice('agent/'.length));
        return 'agent' in result ? [result.agent] : [];
      },
    };
  }
}
