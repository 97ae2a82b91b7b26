import { expectationOf } from '../../model/expectation.js';
import type { Agent } from '../../model/resource.js';
import { addressNamed, addressOfAgent } from '../agents.js';
import { runKind } from '../run/run-kinds.js';
import type { Occurrence } from '../status/history.js';
import type { DeclaredResource } from '../status/resources.js';
import { nothingExpected } from './origin.js';
import { type ExpectedRun, type JudgingContext, namesOf } from './runs.js';

/** The agents that a resource starts, itself or through its target. */
export function startedAgents(
  { kind, observed, target }: DeclaredResource,
  resources: readonly DeclaredResource[],
  agents: readonly Agent[],
): readonly Agent[] {
  if (target?.kind === 'agent') return agents.filter(({ id }) => id === target.id);
  const targeted = resources.find(
    (each) => each.kind.name === target?.kind && each.observed?.id === target.id,
  );
  const whole = target === null ? { kind, observed } : targeted;
  const spec = whole?.observed?.spec ?? null;
  const ids = spec === null ? [] : (whole?.kind.runs?.agents(spec) ?? []);
  return agents.filter(({ id }) => ids.includes(id));
}

/** Why the last start of a schedule made no run at all. Null where it was not refused. */
export function refusalOf({ observed }: DeclaredResource): string | null {
  const message = observed?.facts['errorMessage'];
  return typeof message === 'string' && message !== '' ? `the last start was refused: ${message}` : null;
}

/** Of the agents that a run was to start, those that did not, and why. */
export function notStartedIn(
  { idKind, state, notStarted, startedAt, parts }: Occurrence,
  agents: readonly Agent[],
): { readonly missing: readonly Agent[]; readonly why: string } {
  const isChain = runKind(idKind).members === 'chain';
  const isWhole = isChain ? state !== 'failed' && state !== 'stopped' : notStarted === null;
  const started = new Set(parts.map(({ agentName }) => addressNamed(agentName, agents) ?? agentName));
  const missing = isWhole ? [] : agents.filter((each) => !started.has(addressOfAgent(each)));
  const run = startedAt === null ? 'the last run' : `the run of ${startedAt.replace(/\.000Z$/, 'Z')}`;
  return { missing, why: isChain ? `it was not reached in ${run}` : `it did not start in ${run}` };
}

/** What is expected of an agent that did not run: all of it is unknown, whatever it delivered before. */
export function runWithoutJob(
  { expect = nothingExpected }: DeclaredResource,
  agent: Agent,
  why: string,
  { agents }: JudgingContext,
): ExpectedRun {
  const address = addressOfAgent(agent);
  const names = namesOf(address, agent.name, agents);
  return {
    job: {
      id: null,
      state: 'notStarted',
      records: null,
      startedAt: null,
      finishedAt: null,
      message: null,
    },
    agent: address,
    names,
    expect,
    expectation: expectationOf(expect.whole, names),
    facts: { noData: why, records: null, isRunning: false, took: null, before: null },
  };
}
