import type { Diagnostic } from '../../model/diagnostic.js';
import type { Agent } from '../../model/resource.js';
import type { StartedRun } from '../../model/run.js';
import type { Client } from '../../service/client.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { type Marks, newIds } from './newest.js';
import type { Pacer } from './pace.js';
import { recoverRun } from './recover.js';
import type { StartTarget } from './targets.js';
import type { Timer } from './timer.js';

/** What became of one start. */
export type StartOutcome =
  | ({ readonly type: 'started' } & StartedRun)
  /** The service does not start it. */
  | { readonly type: 'refused'; readonly message: string }
  /** It cannot have been started: the reason is not one of the service's about it. */
  | { readonly type: 'notSent'; readonly failure: Diagnostic }
  | { readonly type: 'unknown'; readonly message: string; readonly candidates: readonly string[] };

export interface SendContext {
  readonly client: Client;
  readonly marks: Marks;
  readonly agents: readonly Agent[];
  readonly pacer: Pacer;
  readonly timer: Timer;
  interrupted(): boolean;
  onOutcome(target: StartTarget, outcome: StartOutcome): void;
}

/** Sends each start once, one after another, and looks for those whose answers were lost. */
export async function startAll(
  targets: readonly StartTarget[],
  context: SendContext,
): Promise<ReadonlyMap<StartTarget, StartOutcome>> {
  const outcomes = new Map<StartTarget, StartOutcome>();
  const taken = new Set<string>();
  const end = (target: StartTarget, outcome: StartOutcome) => {
    if (outcome.type === 'started') taken.add(outcome.id);
    outcomes.set(target, outcome);
    context.onOutcome(target, outcome);
  };
  const lost: (readonly [StartTarget, string])[] = [];
  let stopped: Diagnostic | null = null;
  for (const target of targets) {
    if (stopped === null) await context.pacer.take(target.starts);
    if (context.interrupted()) stopped ??= INTERRUPTED;
    const sent: Sent =
      stopped === null ? await send(target, context, taken) : { type: 'notSent', failure: stopped };
    if (sent.type === 'notSent') stopped = sent.failure;
    if (sent.type === 'lost') lost.push([target, sent.message]);
    else end(target, sent);
  }
  // Last, and one by one: the run of another start must not be taken for that of a lost one.
  for (const [target, message] of lost) end(target, await search(target, message, context, taken));
  return outcomes;
}

const INTERRUPTED: Diagnostic = {
  severity: 'error',
  code: 'interrupted',
  message: 'the run was interrupted before this start was sent',
};

type Sent = Exclude<StartOutcome, { type: 'unknown' }> | { readonly type: 'lost'; readonly message: string };

async function send(
  { call, traces }: StartTarget,
  { client, marks }: SendContext,
  taken: ReadonlySet<string>,
): Promise<Sent> {
  try {
    const started = await callOperation(client, call);
    // An answer that names what existed before cannot be about this start.
    if (marks.has(traces, started.id) || taken.has(started.id))
      return { type: 'lost', message: `the service returned the id of an earlier run, ${started.id}` };
    if (!marks.isPartial(traces) || (await isListedAsNew(started.id, traces, { client, marks })))
      return { type: 'started', ...started };
    return {
      type: 'lost',
      message: `the service returned ${started.id}, which is not among its newest runs`,
    };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const { message, reason: said = message, certainty, status } = failure.facts;
    if (certainty === 'unknown') return { type: 'lost', message };
    const isAnswer = certainty === 'refused' && status !== 401 && status !== 429;
    if (isAnswer) return { type: 'refused', message: said };
    const [reason = { severity: 'error', code: failure.facts.code, message }] = failure.diagnostics;
    return { type: 'notSent', failure: reason };
  }
}

/**
 * Of a list with more entries than the marks hold, an id that they do not know may be an old one: it is new if the list
 * shows it above them. One read. If that fails, the answer stands: the run is followed, and nothing is lost.
 */
async function isListedAsNew(
  id: string,
  traces: StartTarget['traces'],
  { client, marks }: Pick<SendContext, 'client' | 'marks'>,
): Promise<boolean> {
  try {
    return (await newIds(client.reader(), traces, marks.of(traces))).includes(id);
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    return true;
  }
}

async function search(
  target: StartTarget,
  lost: string,
  { client, marks, agents, timer }: SendContext,
  taken: ReadonlySet<string>,
): Promise<StartOutcome> {
  const found = await recoverRun(target, {
    reader: client.reader(),
    marks,
    agents,
    isTaken: (id) => taken.has(id),
    sleep: (milliseconds) => timer.sleep(milliseconds),
  });
  if ('id' in found) return { type: 'started', id: found.id, idKind: target.traces.idKind, startedAt: null };
  return { type: 'unknown', message: `${lost}; ${found.message}`, candidates: found.candidates };
}
