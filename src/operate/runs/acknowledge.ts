import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { AcknowledgedRun } from '../../model/run-history.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { dismissAttention, restoreAttention } from '../../service/operations/agent-runs.js';
import { checkedId, type RunById, runWithId } from '../run/by-id.js';
import { agentRunsIn } from './parts.js';

export interface AcknowledgeResult {
  readonly runs: readonly AcknowledgedRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Acknowledges failures, or reports them again: by the ids of runs of agents, which takes one request each, or of what they
 * belong to. Repeating it changes nothing, so a lost answer is asked for again.
 * @throws Problem when nothing was changed.
 */
export async function acknowledge(
  session: Session,
  { ids, undo }: { readonly ids: readonly string[]; readonly undo: boolean },
  begin: () => void = () => undefined,
): Promise<AcknowledgeResult> {
  const names = [...new Set(ids.map(checkedId))];
  const work = new Acknowledgement(session, undo, begin);
  for (const id of names) if (!(await work.take(id))) break;
  const diagnostics = [...work.runs.flatMap((each) => diagnosticOf(each, undo)), ...work.failed];
  if (!work.runs.some(({ result }) => result !== 'refused') && diagnostics.length > 0)
    throw new Problem(diagnostics);
  return { runs: work.runs, diagnostics: [...session.warnings, ...diagnostics] };
}

/** What was done is kept, whatever happens next. */
class Acknowledgement {
  readonly runs: AcknowledgedRun[] = [];
  readonly failed: Diagnostic[] = [];

  constructor(
    private readonly session: Session,
    private readonly undo: boolean,
    private readonly begin: () => void,
  ) {}

  /** False where another id would fail in the same way. */
  async take(id: string): Promise<boolean> {
    try {
      await this.#acknowledge(id);
      return true;
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      this.failed.push(...failure.diagnostics);
      const isForAll = failure instanceof ServiceFailure || this.session.interrupted();
      return !isForAll;
    }
  }

  async #acknowledge(id: string): Promise<void> {
    const sent = await this.#send(id, null);
    if (sent !== null) {
      this.runs.push(sent);
      return;
    }
    const reader = this.session.client.reader();
    const whole = await runWithId(reader, id);
    const count = this.runs.length;
    // The service refuses those runs of a job that have not failed.
    for (const run of await agentRunsIn(whole, 'failed', reader)) {
      const result = await this.#send(run.id, id);
      if (result?.result !== 'refused') this.runs.push(result ?? gone(run.id, id));
    }
    if (this.runs.length === count) throw new Problem(noFailure(whole));
  }

  /** Null where there is no run of an agent with this id. */
  async #send(id: string, partOf: string | null): Promise<AcknowledgedRun | null> {
    const { client } = this.session;
    if (this.session.interrupted()) throw problem('interrupted', 'interrupted before the next run');
    try {
      await callOperation(client, this.undo ? restoreAttention(id) : dismissAttention(id));
      this.begin();
      return { id, partOf, result: 'done', message: null };
    } catch (failure) {
      if (!(failure instanceof ServiceFailure)) throw failure;
      const { message, reason = message, certainty, status } = failure.facts;
      if (certainty === 'refused' && status === 404) return null;
      if (certainty === 'refused' && status === 400)
        return { id, partOf, result: 'refused', message: reason };
      if (certainty !== 'unknown') throw failure;
      this.begin();
      return { id, partOf, result: 'unknown', message };
    }
  }
}

/** The result for a run that was read a moment ago. */
function gone(id: string, partOf: string): AcknowledgedRun {
  return { id, partOf, result: 'refused', message: 'the service lists it, but does not find it' };
}

function noFailure({ id }: RunById): Diagnostic {
  return { severity: 'error', code: 'usage', message: `nothing in "${id}" has failed` };
}

function diagnosticOf({ id, result, message }: AcknowledgedRun, undo: boolean): readonly Diagnostic[] {
  if (result === 'done') return [];
  const what = undo ? 'reported again' : 'acknowledged';
  const text =
    result === 'unknown' ? `it is not known whether run ${id} was ${what}` : `run ${id} was not ${what}`;
  const help = result === 'unknown' ? { help: 'Run it again: repeating it changes nothing.' } : {};
  return [
    {
      severity: 'error',
      code: result === 'unknown' ? 'service-error' : 'usage',
      message: `${text}: ${message}`,
      ...help,
    },
  ];
}
