import { kinds } from '../kinds/index.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Allowances } from '../model/finding.js';
import type { Agent } from '../model/resource.js';
import { some } from '../model/words.js';
import { isTimed, startedAgents } from '../reconcile/starts.js';
import type { Match } from '../reconcile/world.js';
import { withReferred } from './lookup.js';
import { type Observation, observe, requireAccount } from './observe.js';
import type { ReadSession } from './session.js';

interface UnusedAgents {
  readonly agents: readonly Agent[];
  /** That it is not known what some schedules start. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The agents that no schedule on the service will start, neither by itself nor through a group or pipeline. What is on hold
 * will go on. Sends reads only.
 */
export async function unusedAgents(
  session: ReadSession,
  allow: Partial<Allowances> = {},
): Promise<UnusedAgents> {
  const needed = withReferred(kinds.filter(isTimed));
  const observation = await observe(session, { kinds: needed, everything: needed, allow });
  // A key of another user shows none of the schedules.
  requireAccount(observation);
  const { used, unknown } = startedIn(observation, session.serviceNow());
  return {
    agents: observation.state.agents.filter(({ id }) => !used.has(id)),
    diagnostics: unknown.length === 0 ? [] : [notKnown(unknown)],
  };
}

interface SchedulesAgents {
  /** The ids of agents. */
  readonly used: ReadonlySet<string>;
  /** Schedules whose agents are not known. */
  readonly unknown: readonly string[];
}

function startedIn({ comparison }: Observation, now: Date): SchedulesAgents {
  const agentsOf = startedAgents(comparison, specOf);
  const used = new Set<string>();
  const unknown: string[] = [];
  for (const match of comparison.matches) {
    const { kind, address, observed } = match;
    if (observed === null || !isTimed(kind)) continue;
    const spec = specOf(match);
    if (spec != null && !willRun(match, spec, now)) continue;
    const agents = spec == null ? null : agentsOf(kind, spec);
    if (agents === null) unknown.push(address);
    else for (const id of agents) used.add(id);
  }
  return { used, unknown };
}

/** As it is on the service; of what is on hold, as it was before. */
function specOf({ observed, hold, unheld }: Match): unknown {
  return hold === undefined ? observed?.spec : (unheld?.spec ?? observed?.spec);
}

function willRun({ kind, hold }: Match, spec: unknown, now: Date): boolean {
  if (hold === undefined && kind.pausing?.isPaused(spec) === true) return false;
  // Where the next runs cannot be computed, there may be some.
  return kind.timetable?.nextRuns(spec, now, 1)?.length !== 0;
}

function notKnown(addresses: readonly string[]): Diagnostic {
  const message = `it is not known which agents ${some(addresses, 5)} will start, so some of these agents may be used`;
  const help = 'The service does not show their targets. `roster list schedules` lists them.';
  return { severity: 'warning', code: 'unknown-reference', message, help };
}
