import type { Agent } from '../../model/resource.js';
import type { ServiceRun } from '../../model/run.js';
import type { Client } from '../../service/client.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { retryMember } from '../../service/operations/group-runs.js';
import type { Pacer } from './pace.js';
import { addressOfAgent, stateOf } from './states.js';

interface RetryContext {
  readonly agents: readonly Agent[];
  readonly pacer: Pacer;
  interrupted(): boolean;
}

/** The tries of `--retry-not-started`: for each member, and never again after an answer that was lost. */
export class Retries {
  readonly #tried = new Map<string, number>();
  readonly #lost = new Map<string, string>();

  constructor(
    private readonly most: number,
    private readonly client: Client | null,
    private readonly context: RetryContext,
  ) {}

  /** The member after a try to start it, or as it is when there is none left. */
  async of(groupRunId: string, member: ServiceRun): Promise<ServiceRun> {
    const agent = this.context.agents.find((each) => addressOfAgent(each) === member.address);
    const { client } = this;
    if (agent === undefined || client === null) return member;
    const name = `${groupRunId} ${agent.id}`;
    const lost = this.#lost.get(name);
    if (lost !== undefined) return { ...member, state: 'unknown', message: lost };
    const tried = this.#tried.get(name) ?? 0;
    if (tried >= this.most) return member;
    await this.context.pacer.take(1);
    // An interrupt ends the wait at once.
    if (this.context.interrupted()) return member;
    this.#tried.set(name, tried + 1);
    const isLast = tried + 1 >= this.most;
    const call = retryMember(groupRunId, agent.id);
    return this.#result(callOperation(client, call), { name, isLast, member });
  }

  async #result(
    sent: Promise<unknown>,
    { name, isLast, member }: { name: string; isLast: boolean; member: ServiceRun },
  ): Promise<ServiceRun> {
    // Why it did not start before is no longer news.
    const retried: ServiceRun = { ...member, state: 'running', message: null };
    try {
      await sent;
      return retried;
    } catch (failure) {
      if (!(failure instanceof ServiceFailure)) throw failure;
      const { message, reason = message, certainty } = failure.facts;
      if (certainty !== 'unknown') return isLast ? { ...member, message: reason } : retried;
      this.#lost.set(name, `its start was tried again, and the response was lost: ${message}`);
      // The next poll shows whether it has started.
      return retried;
    }
  }
}

/** The group run after its members that never started were tried again. */
export async function retryMembers(run: ServiceRun, retries: Retries): Promise<ServiceRun> {
  const { id } = run;
  if (id === null || !run.members.some(({ state }) => state === 'notStarted')) return run;
  const members: ServiceRun[] = [];
  for (const member of run.members)
    members.push(member.state === 'notStarted' ? await retries.of(id, member) : member);
  const isOpen = run.state === 'running' || members.some(({ state }) => state === 'running');
  return { ...run, members, state: isOpen ? 'running' : stateOf(members) };
}
