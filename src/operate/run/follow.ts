import type { Diagnostic } from '../../model/diagnostic.js';
import type { Run, RunName } from '../../model/run.js';
import type { Client } from '../../service/client.js';
import { orElse } from '../../service/operation.js';
import { retryMember } from '../../service/operations/group-runs.js';
import { addressOfAgent } from '../agents.js';
import type { Watch } from '../watch.js';
import { jobsOf, type RunSubject, runKind, runKinds, unknownSubject } from './run-kinds.js';
import { sendInTurn } from './start.js';
import { runIn, stateOfMembers } from './states.js';

export interface FollowedRun extends RunSubject, RunName {
  readonly id: string;
  /** As the answer to the start says. Default: unknown, until its runs show it. */
  readonly startedAt?: string | null;
}

/** Between two polls (interface §1.9: 5 to 15 seconds are advised). */
const FIRST_POLL_MS = 5_000;
const SLOWEST_POLL_MS = 15_000;
const SLOWER_BY = 1.25;
/** A list may lag behind a start. */
const UNSEEN_MS = 60_000;
/** Polls in a row that fail before the runs are given up on. Each was sent several times. */
const MOST_FAILURES = 5;
/** Every so many polls, the service is made to look after runs that its engine may have lost. */
const REFRESH_EVERY = 10;

export interface FollowOptions {
  /** How long to follow; null until all are finished. */
  readonly forMilliseconds: number | null;
  /** Whether to look at once, instead of after the first interval. */
  readonly atOnce: boolean;
  /** Tries members of groups again that never started; null for never. */
  readonly retries: Retries | null;
  /** Called after each poll, with the runs in the order in which they are followed. */
  onPoll(runs: readonly Run[]): void;
}

export interface FollowResult {
  readonly runs: readonly Run[];
  /** Why they could not be followed to their ends; null when they could, or when the patience ended. */
  readonly failure: Diagnostic | null;
}

/** Polls until all runs are finished, the deadline passes, or the command is interrupted. */
export async function follow(
  followed: readonly FollowedRun[],
  watch: Watch,
  options: FollowOptions,
): Promise<FollowResult> {
  const until =
    options.forMilliseconds === null ? Number.POSITIVE_INFINITY : watch.now + options.forMilliseconds;
  // Ends at the deadline, after one last poll.
  const pause = (interval: number) => watch.sleep(Math.max(0, Math.min(interval, until - watch.now)));
  const progress = new Progress(followed, watch, options.retries);
  let interval = FIRST_POLL_MS;
  if (!options.atOnce) await pause(interval);
  while (!watch.interrupted) {
    const failure = await progress.poll();
    options.onPoll(progress.runs);
    if (failure !== null || progress.open.length === 0) return { runs: progress.runs, failure };
    if (watch.now >= until) break;
    await pause(interval);
    interval = Math.min(SLOWEST_POLL_MS, interval * SLOWER_BY);
  }
  return { runs: progress.runs, failure: null };
}

class Progress {
  readonly #runs: Map<string, Run>;
  readonly #unseenSince = new Map<string, number>();
  #failures = 0;
  #polls = 0;

  constructor(
    private readonly followed: readonly FollowedRun[],
    private readonly watch: Watch,
    private readonly retries: Retries | null,
  ) {
    this.#runs = new Map(
      followed.map((each) => [each.id, runIn('running', each, { startedAt: each.startedAt ?? null })]),
    );
  }

  get runs(): readonly Run[] {
    return [...this.#runs.values()];
  }

  get open(): readonly FollowedRun[] {
    return this.followed.filter(({ id }) => this.#runs.get(id)?.state === 'running');
  }

  /** The failure for which polling ends; null to go on. */
  poll(): Promise<Diagnostic | null> {
    this.#polls += 1;
    return orElse(this.#look(), (failure) => {
      this.#failures += 1;
      const isFinal = failure.status === 401 || failure.status === 403;
      return isFinal || this.#failures >= MOST_FAILURES ? failure.diagnostic : null;
    });
  }

  async #look(): Promise<null> {
    if (this.#polls % REFRESH_EVERY === 0) await this.#refresh();
    const seen = await pollRuns(this.open, this.watch);
    this.#failures = 0;
    for (const each of this.open) this.#note(each, seen.get(each.id));
    for (const [id, run] of this.#runs)
      if (this.retries !== null) this.#runs.set(id, await this.retries.take(run));
    return null;
  }

  #note({ id }: FollowedRun, seen: Run | undefined): void {
    const before = this.#runs.get(id);
    if (seen !== undefined) {
      this.#unseenSince.delete(id);
      this.#runs.set(id, { ...seen, startedAt: seen.startedAt ?? before?.startedAt ?? null });
      return;
    }
    const since = this.#unseenSince.get(id) ?? this.watch.now;
    this.#unseenSince.set(id, since);
    if (before === undefined || this.watch.now - since < UNSEEN_MS) return;
    this.#runs.set(id, { ...before, state: 'unknown', message: 'the service does not show it' });
  }

  async #refresh(): Promise<void> {
    const jobs = this.runs.flatMap(jobsOf);
    const active = jobs.flatMap(({ id, state }) => (state === 'running' && id !== null ? [id] : []));
    await Promise.all(active.map((id) => this.watch.runsOf(id)));
  }
}

/**
 * The current state of runs, by id: one list for all jobs, and one call for each group or pipeline run. A run that the
 * service does not show is missing. Throws a ServiceFailure.
 */
export async function pollRuns(
  followed: readonly FollowedRun[],
  watch: Watch,
): Promise<ReadonlyMap<string, Run>> {
  const byId = new Map(followed.map((each) => [each.id, each]));
  const reads = runKinds.map((kind) => {
    const ids = followed.flatMap(({ id, idKind }) => (idKind === kind.name ? [id] : []));
    return ids.length === 0 ? [] : kind.read(watch.reader, ids);
  });
  const found = (await Promise.all(reads)).flat();
  const runs = found.map(async (each) => {
    return [each.id, await each.now(byId.get(each.id) ?? unknownSubject, watch)] as const;
  });
  return new Map(await Promise.all(runs));
}

/** The tries of `--retry-not-started`: for each member, and never again after an answer that was lost. */
export class Retries {
  readonly #tried = new Map<string, number>();
  readonly #lost = new Map<string, string>();

  constructor(
    private readonly most: number,
    private readonly client: Client,
    private readonly watch: Watch,
  ) {}

  /** A group run after its members that never started were tried again: then it goes on. */
  async take(run: Run): Promise<Run> {
    const { id } = run;
    const missing = run.members.filter(({ state }) => state === 'notStarted');
    if (id === null || missing.length === 0 || runKind(run.idKind).members !== 'parallel') return run;
    const queue = missing.flatMap((member) => this.#tryOf(id, member) ?? []);
    const tried = new Map<Run, Run>();
    for await (const [{ name, member, isLast }, sent] of sendInTurn(queue, this.client, this.watch)) {
      if (this.watch.interrupted && sent.type === 'notSent') break;
      this.#tried.set(name, (this.#tried.get(name) ?? 0) + 1);
      if (sent.type === 'unknown')
        this.#lost.set(
          name,
          `its start was tried again, and the response was lost: ${sent.failure.facts.message}`,
        );
      // Why it did not start before is no longer news. The next poll shows whether it has started.
      const isOver = isLast && (sent.type === 'refused' || sent.type === 'notSent');
      tried.set(
        member,
        isOver ? { ...member, message: sent.failure.reason } : { ...member, state: 'running', message: null },
      );
    }
    const members = run.members.map((each) => tried.get(each) ?? this.#orLost(id, each));
    const isOpen = run.state === 'running' || members.some(({ state }) => state === 'running');
    return { ...run, members, state: isOpen ? 'running' : stateOfMembers(members.map(({ state }) => state)) };
  }

  /** Null where it is not tried (again). */
  #tryOf(groupRunId: string, member: Run) {
    const agent = this.watch.agents.find((each) => addressOfAgent(each) === member.address);
    if (agent === undefined) return null;
    const name = nameOf(groupRunId, member);
    const tried = this.#tried.get(name) ?? 0;
    if (this.#lost.has(name) || tried >= this.most) return null;
    const call = retryMember(groupRunId, agent.id);
    return { name, member, call, starts: 1, isLast: tried + 1 >= this.most };
  }

  #orLost(groupRunId: string, member: Run): Run {
    const lost = member.state === 'notStarted' ? this.#lost.get(nameOf(groupRunId, member)) : undefined;
    return lost === undefined ? member : { ...member, state: 'unknown', message: lost };
  }
}

function nameOf(groupRunId: string, { address }: Run): string {
  return `${groupRunId} ${address}`;
}
