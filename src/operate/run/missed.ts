import { errorsAsWarnings } from '../../engine/observe.js';
import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { errorsIn, Problem } from '../../model/diagnostic.js';
import type { ChosenStart, ChosenStarts, ResourceStatus } from '../../model/run.js';
import { readStatus } from '../status/status.js';
import { obstacleOf } from './obstacle.js';

export interface MissedOptions {
  /** Addresses and globs; none for all schedules. */
  readonly addresses: readonly string[];
  /** `24h`, `7d`, a time with its offset, or `apply`. */
  readonly since: string;
  /** Which schedules: those that missed starts, those whose last run failed, or both. */
  readonly missed: boolean;
  readonly failed: boolean;
}

/**
 * The schedules that `roster status` calls missed or failing, each of which one run makes up. What is on hold, is paused or
 * does not start again by itself is left alone. Sends reads only.
 * @throws Problem when nothing is found, and something could not be read.
 */
export async function chooseMissed(session: ReadSession, options: MissedOptions): Promise<ChosenStarts> {
  const { addresses, since, missed, failed } = options;
  const { status, declared } = await readStatus(session, { addresses, since, isCheck: true });
  const { resources, diagnostics } = status;
  const whyNot = obstacleOf(session);
  const obstacles = new Map(declared.map((each) => [each.address, whyNot(each)]));
  const starts: ChosenStart[] = [];
  const leftOut: ChosenStart[] = [];
  for (const row of resources) {
    const reasons = [...(missed ? missedReason(row) : []), ...(failed ? failedReason(row) : [])];
    if (!isScheduled(row) || reasons.length === 0) continue;
    const obstacle = obstacles.get(row.address) ?? (row.nextRun === null ? 'it does not start again' : null);
    if (obstacle === null) starts.push({ address: row.address, reason: reasons.join('; ') });
    else leftOut.push({ address: row.address, reason: obstacle });
  }
  const errors = errorsIn(diagnostics);
  if (starts.length === 0 && errors.length > 0) throw new Problem(errors);
  // One schedule that cannot be judged does not stop the others.
  return { starts, leftOut, diagnostics: errorsAsWarnings(diagnostics) };
}

const scheduledKinds = kinds.filter(({ timetable }) => timetable !== undefined).map(({ name }) => name);

/** Groups and pipelines miss nothing, and their schedules fail with them. */
function isScheduled({ address }: ResourceStatus): boolean {
  return scheduledKinds.some((name) => address.startsWith(`${name}/`));
}

function missedReason({ health, reason, counts: { missed } }: ResourceStatus): readonly string[] {
  if (missed === null || missed === 0) return [];
  return [health === 'missed' ? reason : `${missed} missed`];
}

/** What is running again is on its way. */
function failedReason({ health, reason, isRunning }: ResourceStatus): readonly string[] {
  return health === 'failing' && !isRunning ? [reason] : [];
}
