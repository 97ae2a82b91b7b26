import type { Diagnostic } from '../../model/diagnostic.js';
import { canonical, equal, isJsonObject, type Json, type JsonObject, parseJson } from '../../model/json.js';
import type { AgentWithInputs } from '../../model/kind.js';
import type { Call, Reader } from '../../model/request.js';
import type { StartedRun } from '../../model/run.js';
import { namedIds } from '../../model/words.js';
import type { Client } from '../../service/client.js';
import { ServiceFailure } from '../../service/failure.js';
import { type Attempt, attempt, orElse } from '../../service/operation.js';
import { listAgentsWithInputs } from '../../service/operations/agents.js';
import { type Job, listJobsOfAgent } from '../../service/operations/jobs.js';
import { firstPage, pages } from '../../service/paging.js';
import type { Watch } from '../watch.js';
import { type RunEntry, type RunKind, wholeKinds } from './run-kinds.js';
import type { RunSource, StartTarget } from './targets.js';

export type StartOutcome =
  | ({ readonly type: 'started' } & StartedRun)
  /** The service does not start it. */
  | { readonly type: 'refused'; readonly message: string }
  /** It cannot have been started: the reason is not one of the service's about it. */
  | { readonly type: 'notSent'; readonly failure: Diagnostic }
  | { readonly type: 'unknown'; readonly message: string };

/** Sends each start once, one after another, and looks for those whose answers were lost. */
export async function startAll(
  targets: readonly StartTarget[],
  client: Client,
  watch: Watch,
  onOutcome: (target: StartTarget, outcome: StartOutcome) => void,
): Promise<ReadonlyMap<StartTarget, StartOutcome>> {
  const marks = await Marks.read(watch.reader, targets);
  const outcomes = new Map<StartTarget, StartOutcome>();
  const end = (target: StartTarget, outcome: StartOutcome) => {
    if (outcome.type === 'started') marks.take(outcome.id);
    outcomes.set(target, outcome);
    onOutcome(target, outcome);
  };
  const lost: (readonly [StartTarget, string])[] = [];
  for await (const [target, sent] of sendInTurn(targets, client, watch)) {
    const doubt = await doubtOf(sent, target, marks);
    if (doubt === null) end(target, outcomeOf(sent));
    else lost.push([target, doubt]);
  }
  // Last, and one by one: the run of another start must not be taken for that of a lost one.
  for (const [target, message] of lost) end(target, await search(target, message, watch, marks));
  return new Map(targets.flatMap((each) => outcomesOf(each, outcomes)));
}

function outcomesOf(target: StartTarget, outcomes: ReadonlyMap<StartTarget, StartOutcome>) {
  const outcome = outcomes.get(target);
  return outcome === undefined ? [] : [[target, outcome] as const];
}

function outcomeOf(sent: Attempt<StartedRun>): StartOutcome {
  switch (sent.type) {
    case 'done':
      return { type: 'started', ...sent.data };
    case 'refused':
      return { type: 'refused', message: sent.failure.reason };
    case 'notSent':
      return { type: 'notSent', failure: sent.failure.diagnostic };
    case 'unknown':
      return { type: 'unknown', message: sent.failure.facts.message };
  }
}

export interface Start<R> {
  readonly call: Call<R>;
  /** How many agents it starts. */
  readonly starts: number;
}

/**
 * Sends starts one after another, each once, at the pace that the service allows. After one that could not be sent, or an
 * interrupt, none of the others is.
 */
export async function* sendInTurn<T, R>(
  queue: readonly (T & Start<R>)[],
  client: Client,
  watch: Watch,
): AsyncGenerator<readonly [T, Attempt<R>]> {
  let stopped: ServiceFailure | null = null;
  for (const each of queue) {
    if (stopped === null) await watch.pace(each.starts);
    if (watch.interrupted) stopped ??= interruption();
    const sent: Attempt<R> =
      stopped === null ? await attempt(client, each.call) : { type: 'notSent', failure: stopped };
    if (sent.type === 'notSent') stopped = sent.failure;
    yield [each, sent];
  }
}

function interruption(): ServiceFailure {
  const message = 'the command was interrupted before this start was sent';
  return new ServiceFailure({ code: 'interrupted', message, certainty: 'not-sent' });
}

const PAGE = 100;

/**
 * What existed before the starts: what is listed above it is newer, whatever any clock says. Resources are found by their
 * names after a lost create (`apply/creates.ts`). Runs have no name of their own, and many look alike: only what is new can
 * be the one that a lost start has made.
 */
class Marks {
  /** Ids that the answers of starts have named. */
  readonly #taken = new Set<string>();

  private constructor(
    private readonly reader: Reader,
    private readonly ids: ReadonlyMap<string, ReadonlySet<string>>,
  ) {}

  /** Reads one page for all jobs, and one for each group and pipeline. */
  static async read(reader: Reader, sources: readonly RunSource[]): Promise<Marks> {
    const lists = new Map(sources.map((each) => [listName(each), each]));
    const reads = [...lists].map(async ([name, source]) => {
      const [list] = listsOf(source);
      const items = list === undefined ? [] : await firstPage(reader, list, PAGE);
      return [name, new Set(items.map(({ id }) => id))] as const;
    });
    return new Marks(reader, new Map(await Promise.all(reads)));
  }

  take(id: string): void {
    this.#taken.add(id);
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  has(source: RunSource, id: string): boolean {
    return this.#of(source).has(id);
  }

  /** Whether a run of that list may be older than what was read of it. */
  isPartial(source: RunSource): boolean {
    return this.#of(source).size >= PAGE;
  }

  /** The runs above the marks: the newest page, or more of them where the marks are further down. */
  async newer(source: RunSource): Promise<readonly RunEntry[]> {
    const known = this.#of(source);
    const found: RunEntry[] = [];
    for (const list of listsOf(source))
      for await (const { items } of pages(this.reader, list, { size: PAGE })) {
        const newer = newerThan(items, known);
        for (const each of newer) found.push(each);
        if (newer.length < items.length) break;
      }
    return found;
  }

  #of(source: RunSource): ReadonlySet<string> {
    return this.ids.get(listName(source)) ?? new Set();
  }
}

/** Jobs of all agents are in one list. */
function listsOf({ kind, objectId }: RunSource) {
  return kind.lists(isWhole(kind) ? { objectId } : {});
}

function listName({ kind, objectId }: RunSource): string {
  return isWhole(kind) ? `${kind.name} ${objectId}` : kind.name;
}

function isWhole(kind: RunKind): boolean {
  return wholeKinds.includes(kind);
}

/** The items above the first known one. */
export function newerThan<T extends { readonly id: string }>(
  items: readonly T[],
  known: ReadonlySet<string>,
): readonly T[] {
  const at = items.findIndex(({ id }) => known.has(id));
  return at === -1 ? items : items.slice(0, at);
}

/**
 * Why it is not known what a start has made; null where it is. An answer that names what existed before cannot be about
 * this start. Of a list with more entries than the marks hold, an id that they do not know may be an old one: it is new if
 * the list shows it above them. That takes one read. If it fails, the answer stands: the run is followed, and nothing is
 * lost.
 */
async function doubtOf(sent: Attempt<StartedRun>, target: StartTarget, marks: Marks): Promise<string | null> {
  if (sent.type === 'unknown') return sent.failure.facts.message;
  if (sent.type !== 'done') return null;
  const { id } = sent.data;
  if (marks.has(target, id) || marks.isTaken(id))
    return `the service returned the id of an earlier run, ${id}`;
  if (!marks.isPartial(target)) return null;
  const isNew = (await orElse(marks.newer(target), () => [{ id }])).some((each) => each.id === id);
  return isNew ? null : `the service returned ${id}, which is not among its newest runs`;
}

/** Looks for the run of a start whose answer was lost. The start is never sent again. */
async function search(target: StartTarget, lost: string, watch: Watch, marks: Marks): Promise<StartOutcome> {
  const look = async () => (await candidatesOf(target, watch, marks)).filter((id) => !marks.isTaken(id));
  const found = await orElse(
    watch.lookUntil(look, (ids) => ids.length > 0),
    ({ facts }) => `the search for its run failed: ${facts.message}`,
  );
  if (typeof found === 'string') return { type: 'unknown', message: `${lost}; ${found}` };
  const [only] = found;
  if (only !== undefined && found.length === 1)
    return { type: 'started', id: only, idKind: target.kind.name, startedAt: null };
  const why =
    only === undefined ? 'its run was not found' : `${found.length} runs match (${namedIds(found)})`;
  return { type: 'unknown', message: `${lost}; ${why}` };
}

/** The runs since the start that may be the one that it made. */
async function candidatesOf(target: StartTarget, watch: Watch, marks: Marks): Promise<readonly string[]> {
  const { reader } = watch;
  const newer = await marks.newer(target);
  if (newer.length === 0) return [];
  const known = await orElse(reader.readAll(listAgentsWithInputs()), () => []);
  const checked = newer.map(async ({ id, found }) => {
    const run = found ?? (await target.kind.read(reader, [id]))[0];
    return isCandidate((await run?.firstJobs(reader)) ?? [], target, known) ? [id] : [];
  });
  const ids = (await Promise.all(checked)).flat();
  const [agent] = isWhole(target.kind) ? [] : target.agents;
  const namesakes = watch.agents.filter(({ name }) => name === agent?.name);
  if (agent === undefined || namesakes.length === 1 || ids.length === 0) return ids;
  // Jobs show the agent's name only.
  const own = new Set((await reader.readAll(listJobsOfAgent(agent.id))).map((job) => job.id));
  return ids.filter((id) => own.has(id));
}

/**
 * Whether a run with these first jobs may be that of a start: started in the same way, with its inputs, and a job also by
 * its agent and alone. A run whose jobs are not there yet may be it.
 */
export function isCandidate(
  jobs: readonly Job[],
  target: StartTarget,
  known: readonly AgentWithInputs[],
): boolean {
  const { kind, agents, scheduleId, inputs } = target;
  const isAlone = (job: Job) =>
    job.agentName === agents[0]?.name && wholeKinds.every((whole) => whole.idIn(job) === null);
  return jobs.every(
    (job) => (isWhole(kind) || isAlone(job)) && isStartedBy(job, scheduleId) && hasInputs(job, inputs, known),
  );
}

/** Run-now of a schedule may count as either (interface §2: `Manual` is from the API, `Schedule` from a schedule). */
function isStartedBy(job: Job, scheduleId: string | null): boolean {
  if (job.scheduleId !== null) return job.scheduleId === scheduleId;
  return job.triggerSource !== 'Schedule' || scheduleId !== null;
}

/** Beside what was sent, a service may show the default inputs of the agent (interface §2, Agent). */
function hasInputs(
  { agentName, inputParameters }: Job,
  sent: JsonObject | null,
  known: readonly AgentWithInputs[],
): boolean {
  if (sent === null) return true;
  const text = inputParameters?.trim() ?? '';
  const shown = text === '' ? {} : parseJson(text);
  if (!isJsonObject(shown)) return false;
  const inputs = known.filter(({ name }) => name === agentName).flatMap((agent) => agent.inputs);
  const mayBeDefault = (key: string, value: Json) => {
    const defaults = inputs.flatMap((each) => (each.key === key ? (each.defaultValue ?? []) : []));
    return defaults.length === 0 || defaults.includes(typeof value === 'string' ? value : canonical(value));
  };
  const isIn = ([key, value]: readonly [string, Json]) =>
    Object.hasOwn(shown, key) && equal(shown[key] ?? null, value);
  return (
    Object.entries(sent).every(isIn) &&
    Object.entries(shown).every(([key, value]) => Object.hasOwn(sent, key) || mayBeDefault(key, value))
  );
}
