import { type Finding, risk } from '../../model/finding.js';
import { type Hold, holdText } from '../../model/hold.js';
import type { Address } from '../../model/resource.js';
import { some } from '../../model/words.js';
import { changedAddresses, isTimed, sidesOf, startedAgents, targetAddresses } from '../starts.js';
import type { Rule, World } from '../world.js';

/** What is new, enabled or has other members, and starts agents that a hold was meant to stop. */
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

/** Agents, and schedules, that one message names. */
const MOST_NAMED = 3;

/** Agents on hold that an entry starts after the plan, and did not start before. */
interface Gained {
  readonly address: Address;
  readonly agents: readonly string[];
}

function startsOfHeld(world: World, held: ReadonlyMap<string, Held>): Finding[] {
  return [...gainedByChange(world, held)].flatMap(([changed, gained]) => {
    const agents = [...new Set(gained.flatMap((each) => each.agents))];
    const first = held.get(agents[0] ?? '');
    if (first === undefined) return [];
    const names = agents.map((agent) => `agent/${world.names.agent(agent)}`);
    const through = gained.map(({ address }) => address).filter((address) => address !== changed);
    const starts = through.length === 0 ? 'starts' : `makes ${some(through, MOST_NAMED)} start`;
    const message = `${starts} ${some(names, MOST_NAMED)}, although ${first.address} is ${holdText(first.hold)}`;
    return [risk(changed, { code: 'starts-held', message })];
  });
}

/** By what the plan changes: the entry itself, else what it starts, such as a group with another member. */
function gainedByChange(world: World, held: ReadonlyMap<string, Held>): ReadonlyMap<Address, Gained[]> {
  const actions = new Map(world.diffs.map(({ change }) => [change.address, change.action]));
  const agentsBefore = startedAgents(world, (match) => sidesOf(match, actions.get(match.address)).before);
  const agentsAfter = startedAgents(world, (match) => sidesOf(match, actions.get(match.address)).after);
  const targetOf = targetAddresses(world);
  const changed = changedAddresses(world);
  const found = new Map<Address, Gained[]>();
  for (const match of world.matches) {
    const { kind, address, entry } = match;
    if (entry === null || !isTimed(kind)) continue;
    const cause = changed.has(address) ? address : targetOf(kind, entry.spec);
    if (cause === null || !changed.has(cause)) continue;
    const { before, after } = sidesOf(match, actions.get(address));
    const known = new Set(before == null ? [] : agentsBefore(kind, before));
    const started = after == null ? [] : (agentsAfter(kind, after) ?? []);
    const agents = started.filter((agent) => held.has(agent) && !known.has(agent));
    if (agents.length > 0) found.set(cause, [...(found.get(cause) ?? []), { address, agents }]);
  }
  return found;
}
