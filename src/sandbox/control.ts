import { badRequest, Refusal, type Reply } from './api.js';
import { bodyFields, optionalText } from './body.js';
import { DURATION_EXAMPLES, durationMs } from './clock.js';
import type { Received } from './http.js';
/** `/sandbox/clock`: another process reads the time of the sandbox and sets it forward. It is not part of the service. */

export const CLOCK_PATH = '/sandbox/clock';

export interface ControlledClock {
  now(): Date;
  /** Also lets everything happen that is due until then. */
  advance(ms: number): void;
}

/** Throws a Refusal. */
export function answerClock(clock: ControlledClock, { method, body }: Received): Reply {
  if (method === 'POST') setForward(clock, body);
  else if (method !== 'GET')
    throw new Refusal(405, `The method ${method} is not allowed here.`, undefined, { Allow: 'GET, POST' });
  return { status: 200, body: { success: true, data: { now: clock.now().toISOString() } } };
}

function setForward(clock: ControlledClock, body: unknown): void {
  if (body instanceof Refusal) throw body;
  const fields = bodyFields(body);
  const advance = optionalText(fields, 'advance');
  const now = optionalText(fields, 'now');
  if ((advance === undefined) === (now === undefined))
    throw badRequest("The body must have either 'advance' or 'now'.");
  const ms = advance === undefined ? until(clock, now ?? '') : durationOf(advance);
  try {
    clock.advance(ms);
  } catch (error) {
    throw error instanceof RangeError ? badRequest('The clock can go forward by up to 10 years.') : error;
  }
}

function durationOf(text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw badRequest(`The field 'advance' must be a duration, such as ${DURATION_EXAMPLES}.`);
  return ms;
}

function until(clock: ControlledClock, text: string): number {
  const ms = /T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) - clock.now().getTime() : Number.NaN;
  if (Number.isNaN(ms))
    throw badRequest("The field 'now' must be a time with an offset, such as 2026-12-01T06:00:00Z.");
  if (ms < 0) throw badRequest('The clock cannot go back: what has happened stays.');
  return ms;
}
