import { personName } from '../inventory/person.js';
import { openWorkTree } from '../inventory/work-tree.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Hold } from '../model/hold.js';
import type { LockInfo } from '../model/inventory.js';
import { type HoldPlan, type HoldReport, isIdle } from '../model/report.js';
import { pollUntil } from '../model/request.js';
import { type Address, objectKey } from '../model/resource.js';
import type { Siblings } from '../model/sibling.js';
import { agree, readDuration, some } from '../model/words.js';
import {
  commandThere,
  type HoldTarget,
  holdElsewhere,
  holdPlan,
  mayHaveError,
  recordedAddress,
} from '../reconcile/hold-plan.js';
import { isExcluding, unreadFor } from '../reconcile/select.js';
import { isOtherService, type MatchBasis } from '../reconcile/world.js';
import { refusePastedKey } from './api-key.js';
import { type CarriedOut, carryOut, doneAddresses, ownKeysIn, type StepCallbacks } from './carry-out.js';
import { holdTargets } from './hold-targets.js';
import { errorsAsWarnings, type Observation, observe, requireAccount } from './observe.js';
import { type Confirmation, type ReviewedRun, reviewedRun } from './reviewed-run.js';
import { type ProjectPart, selectionOf } from './selectors.js';
import type { Session } from './session.js';

export interface HoldOptions extends ProjectPart {
  /** An agent means only what targets it, not what starts it through a group or pipeline. Default: false. */
  readonly direct?: boolean | undefined;
  /** Null to resume. */
  readonly hold: AskedHold | null;
  /** How long to wait for another command to release the lock. Default: 0. */
  readonly lockTimeoutMilliseconds?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

interface AskedHold {
  /** One for all, or each schedule's own. */
  readonly reason: string | ReadonlyMap<Address, string>;
  /** A duration counts from what time it is by the service's clock. */
  readonly until: string | Until | null;
}

export interface HoldCallbacks extends StepCallbacks {
  /** What is about to happen, before it is confirmed. Called again when the lock had to be waited for. */
  onPlan?(made: HoldPlan, diagnostics: readonly Diagnostic[]): void;
  /** Without it, the plan counts as confirmed. */
  readonly confirm?: ((made: HoldPlan) => Promise<Confirmation>) | undefined;
  onWait?(holder: LockInfo): void;
}

/**
 * Pauses schedules and records why, or enables again what a hold has paused. Takes the lock and saves the intent first,
 * like an apply.
 * @throws Problem when nothing was changed.
 */
export function hold(
  session: Session,
  options: HoldOptions,
  callbacks: HoldCallbacks = {},
): Promise<HoldReport> {
  return reviewedRun(new HoldRun(session, options, callbacks));
}

/** The most addresses that a message lists. */
const MOST_NAMED = 5;

interface PlannedHold {
  readonly made: HoldPlan;
  readonly observation: Observation;
  readonly diagnostics: readonly Diagnostic[];
}

class HoldRun implements ReviewedRun<PlannedHold, HoldReport> {
  private asked: Promise<Hold | null> | null = null;

  constructor(
    readonly session: Session,
    readonly options: HoldOptions,
    readonly callbacks: HoldCallbacks,
  ) {}

  async make(): Promise<PlannedHold> {
    const { session, options } = this;
    const { project } = session;
    const allow = { accountChange: options.allowAccountChange === true };
    // A schedule that has moved but is not adopted yet is held in the old project, so the entries of other projects are read, too.
    const siblings = session.readSiblings({ declared: options.hold !== null });
    const observation = await observe(session, { allow, siblings });
    // A hold does not make the inventory that of another service, which an apply with that flag does.
    if (isOtherService(observation.comparison.basis)) throw otherService(observation.comparison.basis);
    requireAccount(observation);
    const { inventory, comparison } = observation;
    const selectors = selectionOf(options, { project, cwd: session.cwd, inventory });
    this.asked ??= this.holdAsked();
    const asked = await this.asked;
    const how = { isDirect: options.direct === true, isResume: asked === null };
    const found = holdTargets(observation, { selectors, ...how }, project);
    // `roster resume --all` means what is on hold.
    const isNamed = selectors?.some((each) => !isExcluding(each)) === true;
    const isMeant = ({ match: { known } }: HoldTarget) =>
      asked !== null || isNamed || known?.hold !== undefined;
    const made = holdPlan({
      action: asked === null ? 'resume' : 'hold',
      hold: asked,
      reasons: typeof options.hold?.reason === 'object' ? options.hold.reason : undefined,
      targets: found.targets.filter(isMeant),
      // Only what is on hold is a matter of `roster resume`.
      outside: asked === null ? [] : found.outside,
      comparison,
    });
    const unread = errorsAsWarnings(unreadFor(project, selectors));
    const own = asked === null ? staysOnHold(made, found.targets, observation) : [];
    const settings = project.unreadSettings ?? [];
    return { made, observation, diagnostics: [...found.diagnostics, ...own, ...unread, ...settings] };
  }

  show({ made, diagnostics }: PlannedHold): void {
    this.callbacks.onPlan?.(made, diagnostics);
  }

  async nothingToDo(planned: PlannedHold): Promise<HoldReport | null> {
    return isIdle(planned.made) ? reportOf(planned, [], true) : null;
  }

  async ask({ made }: PlannedHold): Promise<Confirmation | null> {
    return (await this.callbacks.confirm?.(made)) ?? null;
  }

  declined(): never {
    throw problem('not-confirmed', 'Cancelled. Nothing was changed.');
  }

  async makeAgain(confirmed: PlannedHold): Promise<PlannedHold> {
    const now = await this.make();
    if (now.made.plan.digest === confirmed.made.plan.digest) return now;
    const help = 'A manifest, the inventory or the service has changed. Run the command again.';
    throw problem('stale-plan', 'the plan has changed since it was confirmed', help);
  }

  async carryOut(current: PlannedHold): Promise<HoldReport> {
    const { session, callbacks } = this;
    const { made, observation } = current;
    const { inventory, state, former, siblings, comparison } = observation;
    const applied = await carryOut({
      session,
      plan: made.plan,
      command: made.action,
      seen: { inventory, state, former, siblings },
      ownKeys: ownKeysIn(comparison),
      intent: made.intent,
      withheld: new Map(),
      isPart: true,
      // An interrupted apply stays one that can be resumed.
      isRest: true,
      verify: false,
      callbacks,
    });
    const left = applied.interrupted || applied.lockedOut ? [] : await leftAfterHold(session, made, applied);
    return reportOf(current, left, isDone(applied), applied);
  }

  private async holdAsked(): Promise<Hold | null> {
    const { session, options } = this;
    if (options.hold === null) return null;
    const { until } = options.hold;
    const reason = reasonOfAll(options.hold);
    refusePastedKey('--reason', reason);
    const now = session.serviceNow();
    const since = new Date(Math.floor(now.getTime() / 1000) * 1000).toISOString();
    const end = until === null || typeof until === 'string' ? until : endOf(until, now);
    const git = async () => (await openWorkTree(session.project.root, options.env)).git;
    const by = (await personName(options.env, git)) ?? 'an unknown user';
    return { by, reason, since, until: end };
  }
}

function reasonOfAll({ reason }: AskedHold): string {
  return typeof reason === 'string' ? reason : [...new Set(reason.values())].join('; ');
}

/** Schedules that stay on hold although this command should resume them. */
function staysOnHold(
  made: HoldPlan,
  targets: readonly HoldTarget[],
  { siblings, comparison }: Observation,
): Diagnostic[] {
  const { now } = comparison.basis;
  const faulty = made.resources
    .filter(({ why }) => why === mayHaveError)
    .map(({ address }): Diagnostic => {
      const message = `${address} stays on hold: ${mayHaveError}`;
      const help = 'Correct the error first. To see all errors, run `roster validate`.';
      return { severity: 'error', code: 'usage', message, help, address };
    });
  const resumed = new Set(made.resources.map(({ address }) => address));
  const others = targets.flatMap(({ match }): Diagnostic[] => {
    const address = recordedAddress(match, comparison.basis.inventory);
    const other = holdElsewhere(match, now);
    if (other === undefined || !resumed.has(address)) return [];
    const message = `${address} stays paused: project ${other.project} (${other.file}) has it on hold`;
    const help = `Run \`${commandThere('resume', other)}\`.`;
    return [{ severity: 'error', code: 'owned-elsewhere', message, help, address }];
  });
  return [...faulty, ...others, ...unreadHolds(made, siblings)];
}

/** Resume does not wait for an unreadable project: the person who ends the hold decides. */
function unreadHolds({ resources }: HoldPlan, { unread }: Siblings): Diagnostic[] {
  const enabled = resources.filter(({ effect }) => effect === 'enable').map(({ address }) => address);
  if (enabled.length === 0) return [];
  return unread.map(({ project, file, reason }) => {
    const owner = project === '' ? 'other projects of the repository' : `project ${project} (${file})`;
    const message = `${owner} may have ${some(enabled, MOST_NAMED)} on hold, too: ${reason}`;
    const schedules = agree(enabled.length, 'this schedule', 'these schedules');
    const help = `Correct this first, or make sure that ${schedules} may start.`;
    return { severity: 'warning', code: 'unreadable-sibling', message, help };
  });
}

function isDone({ outcomes }: CarriedOut): boolean {
  return outcomes.every(({ outcome }) => outcome === 'done');
}

function reportOf(
  { made, diagnostics }: PlannedHold,
  left: readonly Diagnostic[],
  done: boolean,
  applied?: CarriedOut,
): HoldReport {
  const { outcomes = [], interrupted: ended = false } = applied ?? {};
  const all = [...diagnostics, ...(applied?.diagnostics ?? []), ...left];
  const converged = done && !ended && all.every(({ severity }) => severity !== 'error');
  return { made, outcomes, converged, interrupted: ended, diagnostics: all };
}

function otherService({ inventory, service }: MatchBasis): Problem {
  const message = `the inventory belongs to the service ${inventory.service}, and this command uses ${service}`;
  return problem('inventory-mismatch', message, 'Check `--url`, ROSTER_URL and `service.url`.');
}

/** Reads the lists again: what should be paused or enabled now, and is not. */
async function leftAfterHold(
  session: Session,
  made: HoldPlan,
  applied: CarriedOut,
): Promise<readonly Diagnostic[]> {
  const done = doneAddresses(applied);
  const changed = made.plan.changes.filter(({ address }) => done.has(address));
  if (changed.length === 0) return [];
  const look = async () => {
    const paused = await pausedObjects(session);
    return changed.filter(({ kind, id }) => paused.get(objectKey(kind, id)) !== (made.hold !== null));
  };
  try {
    const left = await pollUntil(look, (each) => each.length === 0, session.clock.sleep);
    return left.map(({ address }) => notConverged(address, made.hold !== null));
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

async function pausedObjects({ client }: Session): Promise<ReadonlyMap<string, boolean>> {
  const paused = new Map<string, boolean>();
  for (const { name, pausing, list } of kinds) {
    if (pausing === undefined) continue;
    for (const { id, spec } of await client.reader().readAll(list()))
      if (spec !== null) paused.set(objectKey(name, id), pausing.isPaused(spec));
  }
  return paused;
}

function notConverged(address: string, paused: boolean): Diagnostic {
  const message = `${address} is ${paused ? 'not paused' : 'still paused'}, although the service accepted the request`;
  const help = 'Someone else may be changing it. Run the command again.';
  return { severity: 'error', code: 'not-converged', message, help };
}

const UNTIL_HELP =
  'Use a duration such as 90m, 8h, 3d or 2w, or a time with its offset, such as 2026-12-01T08:00Z or 2026-12-01T09:00+01:00.';

/** Later years have more than four digits, which few tools can read. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/** `--until` as it was written: a time, or how long from now, in milliseconds. */
export type Until = { readonly text: string } & ({ readonly time: number } | { readonly duration: number });

/** `--until`. Throws a Problem for what is neither a time nor a duration. */
export function parseUntil(text: string): Until {
  const duration = readDuration(text);
  if (duration !== null) return { text, duration };
  const time = parseTime(text);
  if (Number.isNaN(time)) throw problem('invalid-time', `--until: ${whyNot(text)}`, UNTIL_HELP);
  return { text, time };
}

/** When a hold ends, ISO 8601 in UTC. Throws a Problem if that has passed. */
export function endOf(until: Until, now: Date): string {
  const { text } = until;
  const time = 'time' in until ? until.time : now.getTime() + until.duration;
  if (time > LATEST) throw problem('invalid-time', `--until: "${text}" is after the year 9999`, UNTIL_HELP);
  if (time <= now.getTime()) throw problem('invalid-time', `--until: "${text}" is in the past`, UNTIL_HELP);
  return new Date(Math.ceil(time / 1000) * 1000).toISOString();
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** NaN for what is not a time with an offset. */
function parseTime(text: string): number {
  const [, local, offset] = TIME.exec(text) ?? [];
  if (local === undefined) return Number.NaN;
  const asUtc = new Date(`${local}Z`);
  // A date that does not exist would become another one.
  const exists = !Number.isNaN(asUtc.getTime()) && asUtc.toISOString().startsWith(local.slice(0, 16));
  return exists ? Date.parse(`${local}${offset}`) : Number.NaN;
}

function whyNot(text: string): string {
  if (TIME.test(text)) return `"${text}" does not exist`;
  if (/^\d{4}-\d\d-\d\d(T[\d:.]*)?$/.test(text)) return `"${text}" is not a time with an offset`;
  return `"${text}" is neither a time nor a duration`;
}
