import { type Finding, risk } from '../../model/finding.js';
import { type Hold, holdText } from '../../model/hold.js';
import type { Address } from '../../model/resource.js';
import { some } from '../../model/words.js';
import { isTimed, sidesOf, startedAgents } from '../starts.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/** What is new or enabled, and starts agents that a hold was meant to stop. */
export const startsHeld: Rule = {
  name: 'starts-held',
  examine(world) {
    const held = heldAgents(world);
    return held.size === 0 ? [] : startsOfHeld(world, held);
  },
};

/** A schedule on hold. */
interface Held {
  readonly address: Address;
  readonly hold: Hold;
}

/** By agent: what would start it if it were not on hold. Also what the plan deletes, and its hold with it. */
function heldAgents(world: World): ReadonlyMap<string, Held> {
  const agents = new Map<string, Held>();
  const held = world.matches.filter(({ hold }) => hold !== undefined);
  if (held.length === 0) return agents;
  const agentsOf = startedAgents(world, ({ observed }) => observed?.spec);
  for (const { kind, address, hold, observed } of held) {
    if (hold === undefined || observed?.spec == null || !isTimed(kind)) continue;
    const started = kind.pausing?.with(observed.spec, false) ?? observed.spec;
    for (const agent of agentsOf(kind, started) ?? []) agents.set(agent, { address, hold });
  }
  return agents;
}

/** Agents that one message names. */
const MOST_NAMED = 3;

function startsOfHeld(world: World, held: ReadonlyMap<string, Held>): Finding[] {
  const actions = new Map(world.diffs.map(({ change }) => [change.address, change.action]));
  const agentsAfter = startedAgents(world, (match) => sidesOf(match, actions.get(match.address)).after);
  const agentsBefore = startedAgents(world, ({ observed }) => observed?.spec);
  return world.diffs.flatMap((diff) => {
    const { match, change } = diff;
    const { kind, entry, observed } = match;
    if (!isChanged(diff) || entry === null || !isTimed(kind)) return [];
    const before = observed?.spec == null ? [] : (agentsBefore(kind, observed.spec) ?? []);
    const known = new Set(before);
    const started = (agentsAfter(kind, entry.spec) ?? []).filter(
      (agent) => held.has(agent) && !known.has(agent),
    );
    const first = held.get(started[0] ?? '');
    if (first === undefined) return [];
    const names = some(
      started.map((agent) => `agent/${world.names.agent(agent)}`),
      MOST_NAMED,
    );
    const message = `starts ${names}, although ${first.address} is ${holdText(first.hold)}`;
    return [risk(change.address, { code: 'starts-held', message })];
  });
}

function isChanged({ change: { action } }: ResourceDiff): boolean {
  return action === 'create' || action === 'update';
}
