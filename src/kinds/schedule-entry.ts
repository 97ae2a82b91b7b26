import type { JsonObject } from '../model/json.js';
import type { Expiry, ReadContext } from '../model/kind.js';
import { cronProblem } from '../timing/cron.js';
import { everyProblem, type Interval, parseEvery } from '../timing/interval.js';
import { localKind } from '../timing/offset-period.js';
import { isPast } from '../timing/runs.js';
import { wallClockProblem } from '../timing/wall-clock.js';
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

/** Reads one entry that fits the schema, and tells what is wrong with its times. */
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
    const message = "a pipeline's stages run with their agents' default inputs: these inputs are ignored";
    context.tell(
      'warning',
      'ignored-inputs',
      ['inputs'],
      message,
      'Take them out, or target an agent or a group.',
    );
  }
  return declared;
}

function readEvery(text: string | null, context: ReadContext): Interval | null {
  if (text === null) return null;
  const trouble = everyProblem(text, context.nearest);
  if (trouble !== null) context.tell('error', 'invalid-time', ['every'], trouble.message, trouble.help);
  return parseEvery(text);
}

function checkTimes(declared: ScheduleDeclared, context: ReadContext): void {
  const zone = zoneProblem(declared.timeZone, context.nearest);
  if (zone !== null) context.tell('error', 'invalid-time-zone', ['timeZone'], zone.message, zone.help);
  const cron = declared.cron === null ? null : cronProblem(declared.cron);
  if (cron !== null) context.tell('error', 'invalid-cron', ['cron'], cron.message, cron.help);
  for (const field of ['once', 'startTime'] as const) {
    const text = declared[field];
    const trouble = text === null ? null : wallClockProblem(text);
    if (trouble !== null) context.tell('error', 'invalid-time', [field], trouble.message, trouble.help);
    else if (text !== null && zone === null) {
      warnOfClockChange(field, text, declared.timeZone, context);
      if (field === 'once') warnOfPast(declared, context);
    }
  }
}

function warnOfPast(declared: ScheduleDeclared, { now, tell }: ReadContext): void {
  const passed = now === null ? null : expired(declared, now);
  if (passed !== null) tell('warning', 'past-once', passed.path, passed.message, passed.help);
}

/** A `once` that has passed is never created, enabled or fired again (contract §3). */
export function expired({ once, timeZone }: ScheduleDeclared, now: Date): Expiry | null {
  if (once === null || !isPast(once, timeZone, now)) return null;
  return {
    path: ['once'],
    message: 'this time has passed: the schedule is left as it is and never fired again',
    help: 'Take the entry out when it is no longer needed, or give it a time to come.',
  };
}

function warnOfClockChange(field: string, text: string, zone: string, context: ReadContext): void {
  const kind = localKind(text, zone);
  if (kind === 'normal') return;
  const does =
    kind === 'skipped' ? 'does not exist: the clocks skip it' : 'happens twice: the clocks repeat it';
  const help = 'Choose a time outside the hour in which the clocks change, or another timeZone such as UTC.';
  context.tell('warning', `${kind}-time`, [field], `${text} in ${zone} ${does}`, help);
}
