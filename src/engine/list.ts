import { kinds } from '../kinds/index.js';
import { type Diagnostic, errorsIn } from '../model/diagnostic.js';
import type { Hold } from '../model/hold.js';
import { byCodeUnit } from '../model/json.js';
import {
  exists,
  type Kind,
  type ListedObject,
  type ListedStatus,
  type ServiceListing,
} from '../model/kind.js';
import type { UnmanagedCounts } from '../model/plan.js';
import type { Address, Agent, Observed } from '../model/resource.js';
import { naturalOrder } from '../model/words.js';
import { inventoryRefusals } from '../reconcile/rules/index.js';
import { countUnmanaged, unmanagedObjects } from '../reconcile/unmanaged.js';
import { isOwnedElsewhere, type Match } from '../reconcile/world.js';
import { listAgentsWithInputs } from '../service/operations/agents.js';
import { inFileOrder, noEnvironmentWarnings } from './diagnostics.js';
import { AGENTS } from './listable.js';
import { withReferred } from './lookup.js';
import { isNoProject } from './no-project.js';
import { asWarning, type Observation, observe, requireAccount } from './observe.js';
import type { ReadSession } from './session.js';
import { unusedAgents } from './unused.js';

export interface ListOptions {
  /** `groups`, or `agents`. Nothing is read that only other sections need. Default: all. */
  readonly section?: string | undefined;
  /** Only objects that a plan counts as not managed here. Default: false. */
  readonly unmanaged?: boolean | undefined;
  /** Only agents that nothing starts. Default: false. */
  readonly unused?: boolean | undefined;
  /** Judges what is not managed here by the policies. Default: false. */
  readonly policies?: boolean | undefined;
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * What exists on the service, with the addresses of what this project declares: matched as a plan matches. Sends reads only.
 * @throws Problem when the service cannot be read, the inventory belongs to another account, or the manifests of what is
 *   listed do not allow a plan.
 */
export async function list(session: ReadSession, options: ListOptions = {}): Promise<ServiceListing> {
  const { section, unmanaged = false, unused = false, policies = false } = options;
  const { project, service, serviceOverride } = session;
  const isNone = isNoProject(project);
  const header = {
    project: isNone ? null : project.name,
    environment: project.environment,
    service,
    serviceOverride: serviceOverride ?? undefined,
  };
  const allow = { accountChange: options.allowAccountChange === true };
  if (section === AGENTS) {
    const agents = await session.client.reader().readAll(listAgentsWithInputs());
    const left = unused ? await unusedAgents(session, allow) : { agents, diagnostics: [] };
    const ids = new Set(left.agents.map(({ id }) => id));
    const shown = byName(agents.filter(({ id }) => ids.has(id)));
    return { ...header, agents: shown, sections: [], unmanaged: null, diagnostics: left.diagnostics };
  }
  const shown = kinds.filter((kind) => section === undefined || kind.section === section);
  const observation = await observe(session, { kinds: withReferred(shown), everything: shown, allow });
  requireAccount(observation);
  const { comparison } = observation;
  // A list is shown although a plan would be refused: it may be what the user looks for.
  const errors = errorsIn(comparison.diagnostics);
  const lister = new Lister(observation, isNone, session.serviceNow());
  const isShown = (each: ListedObject) => !unmanaged || each.status === 'unmanaged';
  return {
    ...header,
    agents: section === undefined && !unmanaged ? byName(observation.state.agents) : null,
    sections: shown.map((kind) => ({
      kind: kind.name,
      section: kind.section,
      objects: lister.objects(kind).filter(isShown),
    })),
    unmanaged: isNone ? null : lister.counts(shown),
    diagnostics: [
      ...noEnvironmentWarnings(project, observation.inventory),
      ...inFileOrder(project, errors.map(asWarning)),
      ...inventoryRefusals(comparison).map(doubt),
      ...(policies ? await judged(session, observation, shown) : []),
    ],
  };
}

/** What that needs is loaded only then. */
async function judged(
  session: ReadSession,
  observation: Observation,
  shown: readonly Kind[],
): Promise<readonly Diagnostic[]> {
  const { judgeUnmanaged } = await import('./judge-unmanaged.js');
  return judgeUnmanaged(session, observation, shown);
}

function byName<A extends Agent>(agents: readonly A[]): readonly A[] {
  return [...agents].sort((a, b) => naturalOrder(a.externalAgentId, b.externalAgentId));
}

function doubt({ code, message }: Pick<Diagnostic, 'code' | 'message'>): Diagnostic {
  const help = 'The addresses may be those of other objects. `roster plan` says what to do.';
  return { severity: 'warning', code, message, help };
}

interface Known {
  readonly address: Address | null;
  readonly status: ListedStatus;
  readonly hold?: Hold | undefined;
  readonly managedBy?: string | undefined;
}

class Lister {
  private readonly known = new Map<Observed, Known>();
  private readonly unmanaged: readonly Match[];

  constructor(
    private readonly observation: Observation,
    private readonly isNoProject: boolean,
    private readonly now: Date,
  ) {
    const { comparison } = observation;
    const { matches, externals } = comparison;
    this.unmanaged = unmanagedObjects(comparison);
    for (const match of matches) {
      const { address, entry, broken, observed, ours, hold } = match;
      if (observed === null) continue;
      const managedBy = isOwnedElsewhere(match) ? match.elsewhere?.project : undefined;
      const isDeclared = entry !== null || (broken !== undefined && ours);
      // What only looks like the object of an entry with an error is nobody's yet.
      if (broken !== undefined && !ours) this.known.set(observed, { address: null, status: 'unmanaged' });
      else
        this.known.set(observed, {
          address: isDeclared || ours ? address : null,
          status: isDeclared ? 'declared' : ours || managedBy === undefined ? 'undeclared' : 'elsewhere',
          hold,
          managedBy,
        });
    }
    for (const { observed } of this.unmanaged)
      if (observed !== null) this.known.set(observed, { address: null, status: 'unmanaged' });
    for (const [address, observed] of externals) this.known.set(observed, { address, status: 'external' });
  }

  counts(shown: readonly Kind[]): UnmanagedCounts {
    return countUnmanaged(
      shown,
      this.unmanaged.filter(({ kind }) => shown.includes(kind)),
    );
  }

  objects(kind: Kind): readonly ListedObject[] {
    const all = this.observation.state.objects.get(kind.name) ?? [];
    const found = all.filter((each) => exists(kind, each));
    const callers = kind.secret === undefined ? null : found.filter(({ caller }) => caller).length;
    return found.map((each) => this.object(kind, each, callers)).sort(declaredFirst);
  }

  private object(kind: Kind, observed: Observed, callers: number | null): ListedObject {
    const { id, name, manageable, caller } = observed;
    const { names } = this.observation.comparison;
    const { address = null, status = 'undeclared', hold, managedBy } = this.known.get(observed) ?? {};
    const listing = kind.listing?.(observed, { names, now: this.now }) ?? { values: {}, columns: {} };
    return {
      id,
      name,
      address,
      canManage: manageable,
      values: listing.values,
      columns: listing.columns,
      status: this.isNoProject ? null : status,
      held: hold,
      managedBy,
      caller: callers === null ? undefined : caller && callers > 1 ? null : caller,
    };
  }
}

/** First what the project knows, by address; then by what people read. */
function declaredFirst(a: ListedObject, b: ListedObject): number {
  if (a.address !== null && b.address !== null) return naturalOrder(a.address, b.address);
  if (a.address !== null || b.address !== null) return a.address === null ? 1 : -1;
  return naturalOrder(textOf(a), textOf(b)) || byCodeUnit(a.id ?? '', b.id ?? '');
}

function textOf({ name, columns }: ListedObject): string {
  return name ?? Object.values(columns)[0] ?? '';
}
