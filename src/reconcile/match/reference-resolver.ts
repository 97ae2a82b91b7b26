import type { Diagnostic } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import { resolveIdentity, resolveValues } from '../../model/pending.js';
import type { Address, Declared, Desired, IdOrPending, Resolver } from '../../model/resource.js';
import type { AgentLookup } from './agent-lookup.js';
import { entryDiagnostic } from './entry-diagnostic.js';

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
    const spec = kind.resolve(entry, this.resolverFor(entry));
    return spec === undefined ? [] : [{ ...entry, spec }];
  }

  /** A natural key, with the known ids in place of pending ones. */
  identity(kind: Kind, identity: string): string {
    return resolveIdentity(kind, identity, this.ids);
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
