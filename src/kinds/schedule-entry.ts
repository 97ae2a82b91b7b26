import type { JsonObject } from '../model/json.js';
import type { Expiry, ReadContext } from '../model/kind.js';
import { cronProblem, cronWarnings } from '../timing/cron.js';
import { everyRange, type Interval, intervalProblem, parseInterval } from '../timing/interval.js';
import { localKind, wallClockProblem } from '../timing/local-time.js';
import type { TimingProblem } from '../timing/problem.js';
import { isPast } from '../timing/runs.js';
import { zoneProblem } from '../timing/zone.js';
import type { ScheduleEntry } from './generated/entries.js';

export interface ScheduleDeclared {
  readonly target: string;
  readonly every: Interval | null;
  readonly cron: string | null;
  readonly once: string | null;
  readonly startTime: string | null;
  readonly timeZone: string;
  readonly inputs: JsonObject;
  readonly enabled: boolean;
}

/** Reads one entry that fits the schema, and reports what is wrong with its times. */
export function readSchedule(entry: ScheduleEntry, context: ReadContext): ScheduleDeclared {
  const declared: ScheduleDeclared = {
    target: entry.target ?? '',
    every: readEvery(entry.every ?? null, context),
    cron: entry.cron ?? null,
    once: entry.once ?? null,
    startTime: entry.startTime ?? null,
    timeZone: entry.timeZone ?? 'UTC',
    inputs: (entry.inputs ?? {}) as JsonObject,
    enabled: entry.enabled ?? true,
  };
  checkTimes(declared, context);
  if (declared.target.startsWith('pipeline/') && Object.keys(declared.inputs).length > 0) {
    context.report({
      severity: 'warning',
      code: 'ignored-inputs',
      path: ['inputs'],
      message: "the stages of a pipeline run with their agents' default inputs, so these inputs are ignored",
      help: 'Remove them, or target an agent or a group.',
    });
  }
  return declared;
}

function readEvery(text: string | null, context: ReadContext): Interval | null {
  if (text === null) return null;
  reportTiming(context, 'invalid-time', 'every', intervalProblem(text, everyRange, context.suggest));
  return parseInterval(text, everyRange);
}

function checkTimes(declared: ScheduleDeclared, context: ReadContext): void {
  const zone = zoneProblem(declared.timeZone, context.suggest);
  reportTiming(context, 'invalid-time-zone', 'timeZone', zone);
  if (declared.cron !== null) checkCron(declared.cron, context);
  for (const field of ['once', 'startTime'] as const) {
    const text = declared[field];
    if (text === null) continue;
    const problem = wallClockProblem(text);
    reportTiming(context, 'invalid-time', field, problem);
    if (problem !== null || zone !== null) continue;
    warnOfClockChange(field, text, declared.timeZone, context);
    if (field === 'once') warnOfPast(declared, context);
  }
}

/** Expressions of which there is nothing to report: projects repeat them many times. */
const soundCrons = new Set<string>();
const MOST_SOUND = 1000;

function checkCron(cron: string, context: ReadContext): void {
  if (soundCrons.has(cron)) return;
  const [problem, warnings] = [cronProblem(cron), cronWarnings(cron)];
  reportTiming(context, 'invalid-cron', 'cron', problem);
  for (const warning of warnings) context.report({ severity: 'warning', path: ['cron'], ...warning });
  if (problem === null && warnings.length === 0 && soundCrons.size < MOST_SOUND) soundCrons.add(cron);
}

function reportTiming(
  { report }: ReadContext,
  code: 'invalid-time' | 'invalid-time-zone' | 'invalid-cron',
  field: string,
  problem: TimingProblem | null,
): void {
  if (problem !== null) report({ severity: 'error', code, path: [field], ...problem });
}

function warnOfPast(declared: ScheduleDeclared, { now, report }: ReadContext): void {
  const expiry = now === null ? null : expired(declared, now);
  if (expiry !== null) report({ severity: 'warning', code: 'past-once', ...expiry });
}

/** A `once` that has passed is never created, enabled or run again (contract §3). */
export function expired({ once, timeZone }: ScheduleDeclared, now: Date): Expiry | null {
  if (once === null || !isPast(once, timeZone, now)) return null;
  return {
    path: ['once'],
    message: 'this time has passed: the schedule is left unchanged and never runs again',
    help: 'Remove the entry if it is no longer needed, or give it a time in the future.',
  };
}

function warnOfClockChange(field: string, text: string, zone: string, { report }: ReadContext): void {
  const kind = localKind(text, zone);
  if (kind === 'normal') return;
  const effect =
    kind === 'skipped'
      ? 'does not exist, because a clock change skips it'
      : 'occurs twice, because a clock change repeats it';
  report({
    severity: 'warning',
    code: `${kind}-time`,
    path: [field],
    message: `${text} in ${zone} ${effect}`,
    help: 'Choose a time outside the hour in which the clocks change, or another `timeZone` such as UTC.',
  });
}
