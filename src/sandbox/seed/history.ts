import { Refusal } from '../api.js';
import { optionalInputs } from '../body.js';
import { durationMs } from '../durations.js';
import { Engine } from '../engine/engine.js';
import { startGroupRun } from '../engine/group-runs.js';
import { startJob } from '../engine/jobs.js';
import { startPipelineRun } from '../engine/pipeline-runs.js';
import { startTarget } from '../engine/scheduled.js';
import { StartRefused } from '../engine/simulation.js';
import { type AgentRecord, byId, CALLER, type CollectionRecord, type World } from '../world.js';
import { agentId, targetId } from './references.js';
import { SeedError, type SeedStart } from './seed.js';

/** What was started before the sandbox, played by the same engine: jobs, runs and datasets as if it had been running. */

interface Planned {
  readonly at: number;
  readonly start: (engine: Engine) => void;
}

/** Throws SeedError. */
export function playHistory(world: World, history: readonly SeedStart[], now: number): void {
  if (history.length === 0) return;
  const starts = history.map((entry, index) => planned(world, `history[${index}]`, entry, now));
  const engine = new Engine(world, now);
  for (const { at, start } of starts.sort((a, b) => a.at - b.at)) {
    engine.runUntil(at);
    attempt(() => start(engine));
  }
  engine.runUntil(now);
}

/** A start that was refused is one that has left no job. */
function attempt(start: () => void): void {
  try {
    start();
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
  }
}

type Starter = (engine: Engine, at: number) => unknown;

function planned(world: World, where: string, entry: SeedStart, now: number): Planned {
  const at = entry.ago === undefined ? Date.parse(entry.startedAt ?? '') : now - (durationMs(entry.ago) ?? 0);
  if (at > now) throw new SeedError(`${where}.startedAt`, 'is after the start of the sandbox', 'Use `ago`.');
  const start =
    entry.schedule === undefined ? ofCaller(world, where, entry) : ofSchedule(world, where, entry);
  return { at, start: (engine) => start(engine, at) };
}

function ofSchedule(world: World, where: string, entry: SeedStart): Starter {
  const schedule = byId(world.schedules, String(entry.schedule));
  if (schedule === undefined) throw missing(`${where}.schedule`, `the schedule "${entry.schedule}"`);
  const inputs = inputsOf(where, entry) ?? schedule.inputParameters;
  return (engine, at) => startTarget(engine, schedule, inputs, at);
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
    return (engine, at) => startGroupRun(engine, group, origin, at);
  }
  if (entry.pipeline !== undefined) {
    const pipeline = named(world, where, 'Pipeline', entry.pipeline);
    return (engine, at) => startPipelineRun(engine, pipeline, origin, at);
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
  const found = byId(records, idOf(world, place, targetType, name));
  if (found === undefined) throw missing(place, `the ${targetType.toLowerCase()} "${name}"`);
  return found;
}

function idOf(world: World, place: string, targetType: 'Group' | 'Pipeline', name: string): string {
  try {
    return targetId(world, place, { targetType, targetId: name });
  } catch (error) {
    throw error instanceof SeedError ? new SeedError(place, error.what, error.help) : error;
  }
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
    throw new SeedError(`${where}.inputParameters`, 'is not a JSON object as a string', 'Write "{}".');
  }
}

function missing(where: string, what: string): SeedError {
  return new SeedError(where, `refers to ${what}, which does not exist`, 'Use one of the seed.');
}
