import { Refusal } from '../api.js';
import { optionalInputs } from '../body.js';
import { durationMs } from '../clock.js';
import { setAccess } from '../datasets/find.js';
import { addSavedQuery } from '../datasets/saved-queries.js';
import { startGroupRun, startPipelineRun } from '../engine/collection-runs.js';
import { Engine } from '../engine/engine.js';
import { startJob } from '../engine/jobs.js';
import type { JobRecord } from '../engine/records.js';
import { startTarget } from '../engine/schedule-starts.js';
import { StartRefused } from '../engine/simulation.js';
import { checkAll, fileError, type JsonFileError } from '../json-file.js';
import { type AgentRecord, byId, CALLER, type CollectionRecord, type World } from '../world.js';
import { agentId, checkedByService, freshId, targetId } from './references.js';
import type { SeedStart } from './seed.js';

/** What was started before the sandbox, played by the same engine: jobs, runs and datasets as if it had been running. */

interface Planned {
  readonly at: number;
  readonly id: string | null;
  /** Returns the job of an agent. */
  readonly start: (engine: Engine) => JobRecord | null;
  /** What the seed says of its data. */
  readonly describe: (job: JobRecord | null) => void;
}

/** Throws JsonFileError. */
export function playHistory(world: World, history: readonly SeedStart[], now: number): void {
  if (history.length === 0) return;
  checkIds(history);
  const starts: Planned[] = [];
  checkAll(history.entries(), ([index, entry]) =>
    starts.push(planned(world, `history[${index}]`, entry, now)),
  );
  const engine = new Engine(world, now);
  const describing = starts
    .sort((a, b) => a.at - b.at)
    .map(({ at, id, start, describe }) => {
      engine.runUntil(at);
      engine.plannedId = id;
      const job = attempt(() => start(engine));
      engine.plannedId = null; // a start that was refused has not taken it
      return () => describe(job);
    });
  engine.runUntil(now);
  checkAll(describing, (describe) => describe());
}

function checkIds(history: readonly SeedStart[]): void {
  const seen = new Set<string>();
  checkAll(history.entries(), ([index, { id }]) => {
    if (id === undefined) return;
    freshId(seen, `history[${index}]`, id);
    seen.add(id.toLowerCase());
  });
}

/** A start that was refused is one that has left no job. */
function attempt(start: () => JobRecord | null): JobRecord | null {
  try {
    return start();
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return null;
  }
}

type Starter = (engine: Engine, at: number) => JobRecord | null;

/** A starter for what may be several jobs. */
function several(start: (engine: Engine, at: number) => unknown): Starter {
  return (engine, at) => {
    start(engine, at);
    return null;
  };
}

function planned(world: World, where: string, entry: SeedStart, now: number): Planned {
  const at = entry.ago === undefined ? Date.parse(entry.startedAt ?? '') : now - (durationMs(entry.ago) ?? 0);
  if (Number.isNaN(at)) throw fileError(`${where}.startedAt`, 'is not a time', 'Correct the date.');
  if (at > now) throw fileError(`${where}.startedAt`, 'is after the start of the sandbox', 'Use `ago`.');
  const start =
    entry.schedule === undefined ? ofCaller(world, where, entry) : ofSchedule(world, where, entry);
  const describe = (job: JobRecord | null) => describeData(world, where, entry, job);
  return { at, id: entry.id?.toLowerCase() ?? null, start: (engine) => start(engine, at), describe };
}

function ofSchedule(world: World, where: string, entry: SeedStart): Starter {
  const schedule = byId(world.schedules, String(entry.schedule));
  if (schedule === undefined) throw missing(`${where}.schedule`, `the schedule "${entry.schedule}"`);
  const inputs = inputsOf(where, entry) ?? schedule.inputParameters;
  return several((engine, at) => startTarget(engine, schedule, inputs, at));
}

function ofCaller(world: World, where: string, entry: SeedStart): Starter {
  const origin = {
    owner: entry.owner ?? CALLER,
    inputParameters: inputsOf(where, entry) ?? '{}',
    trigger: 'Manual',
    scheduleId: null,
    groupRunId: null,
    pipelineRunId: null,
  } as const;
  if (entry.group !== undefined) {
    const group = named(world, where, 'Group', entry.group);
    return several((engine, at) => startGroupRun(engine, group, origin, at));
  }
  if (entry.pipeline !== undefined) {
    const pipeline = named(world, where, 'Pipeline', entry.pipeline);
    return several((engine, at) => startPipelineRun(engine, pipeline, origin, at));
  }
  const agent = byId(world.agents, agentId(world, `${where}.agent`, entry.agent ?? ''));
  if (agent === undefined) throw missing(`${where}.agent`, `the agent "${entry.agent}"`);
  return (engine, at) => startJob(engine, scripted(world, agent, entry.outcome), origin, at);
}

/** A group or pipeline. */
function named(
  world: World,
  where: string,
  targetType: 'Group' | 'Pipeline',
  name: string,
): CollectionRecord {
  const place = `${where}.${targetType.toLowerCase()}`;
  const records = targetType === 'Group' ? world.groups : world.pipelines;
  const found = byId(records, targetId(world, place, { targetType, targetId: name }));
  if (found === undefined) throw missing(place, `the ${targetType.toLowerCase()} "${name}"`);
  return found;
}

/** The agent with this outcome for its next start. */
function scripted(world: World, agent: AgentRecord, outcome: SeedStart['outcome']): AgentRecord {
  if (outcome === undefined) return agent;
  const nth = (world.starts.get(agent.id) ?? 0) + 1;
  return { ...agent, outcomes: [{ ...outcome, nth }, ...(agent.outcomes ?? [])] };
}

function inputsOf(where: string, { inputParameters }: SeedStart): string | undefined {
  try {
    return optionalInputs({ inputParameters });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw fileError(`${where}.inputParameters`, 'is not a JSON object as a string', 'Write "{}".');
  }
}

function missing(where: string, what: string): JsonFileError {
  return fileError(where, `refers to ${what}, which does not exist`, 'Use one of the seed.');
}

const DATA = 'datasets and saved queries';

/** What a seed says of the dataset of a start: who can read it, and its saved queries. Throws JsonFileError. */
function describeData(world: World, where: string, entry: SeedStart, job: JobRecord | null): void {
  const { accessLevel, savedQueries } = entry;
  const place = accessLevel === undefined ? `${where}.savedQueries` : `${where}.accessLevel`;
  if (accessLevel === undefined && savedQueries === undefined) return;
  const dataset = byId(world.datasets, job?.datasetId ?? '');
  if (dataset === undefined)
    throw fileError(
      place,
      'is for a start that has no dataset',
      'Let it succeed before the start of the sandbox.',
    );
  if (accessLevel !== undefined) checkedByService(place, DATA, () => setAccess(world, dataset, accessLevel));
  savedQueries?.forEach((query, index) => {
    const { owner, createdAt } = dataset;
    const definition = `${where}.savedQueries[${index}].definition`;
    checkedByService(definition, DATA, () => addSavedQuery(world, dataset, { ...query, owner, createdAt }));
  });
}
