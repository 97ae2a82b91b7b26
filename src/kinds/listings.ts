import type { Json } from '../model/json.js';
import type { Listing, ListingContext } from '../model/kind.js';
import type { Observed } from '../model/resource.js';
import { instantText } from '../model/words.js';
import { readInstant, wholeNumber } from '../service/operations/record.js';
import { showEvery } from '../timing/interval.js';
import { type ScheduleSpec, targetRule } from './schedule-spec.js';
import { timetable } from './schedule-timetable.js';

/** In place of what the service did not show. */
const UNKNOWN = 'unknown';

/** A list item may lack the agents: then their number is shown where the service gives it. */
export function listCollection(
  { spec, facts }: Observed<{ readonly active: boolean }>,
  field: string,
  agents: readonly string[] | null,
  { names }: ListingContext,
): Listing {
  const number = agents?.length ?? wholeNumber(facts['memberCount'] ?? facts['stepCount']);
  const active = spec?.active ?? null;
  const lastRunAt = instantOf(facts['lastRunAt']);
  return {
    values: { active, [field]: agents?.map((id) => names.agent(id)) ?? null, lastRunAt },
    columns: {
      [field]: number === null ? UNKNOWN : String(number),
      state: active === null ? UNKNOWN : active ? 'active' : 'inactive',
      'last run': lastRunAt === null ? '-' : instantText(lastRunAt),
    },
  };
}

/** Without the inputs, which may be secrets. */
export function listSchedule(
  { spec, facts }: Observed<ScheduleSpec>,
  { names, now }: ListingContext,
): Listing {
  if (spec === null)
    return { values: {}, columns: { target: UNKNOWN, timing: UNKNOWN, 'next run': UNKNOWN } };
  const { every, cron, once, startTime, timeZone, enabled } = spec;
  const target = targetRule.show(spec.target, names);
  const interval = every === null ? null : showEvery(every.value, every.unit);
  const nextRun = nextRunOf(spec, facts['nextRunTime'], now);
  return {
    values: {
      ...{
        target,
        targetId: spec.target.id as Json,
        every: interval,
        cron,
        once,
        startTime,
        timeZone,
        enabled,
      },
      nextRun: nextRun ?? null,
      lastRunAt: instantOf(facts['lastRunTime']),
    },
    columns: {
      // Ids make lines too long to read. Programs find it in `targetId`.
      target: String(target).replace(` (${spec.target.id})`, ''),
      timing: `${briefTiming(spec, interval)}${/^UTC$/i.test(timeZone) ? '' : `, ${timeZone}`}`,
      'next run': enabled ? nextRunText(nextRun) : 'paused',
    },
  };
}

function briefTiming({ cron, once }: ScheduleSpec, interval: string | null): string {
  if (once !== null) return `once at ${once}`;
  return cron === null ? `every ${interval ?? UNKNOWN}` : `cron ${cron}`;
}

/** As the service says, else as computed here. Null when it never runs again, undefined when that is unknown. */
function nextRunOf(spec: ScheduleSpec, announced: Json | undefined, now: Date): string | null | undefined {
  if (!spec.enabled) return null;
  const known = instantOf(announced);
  if (known !== null) return known;
  const computed = timetable.nextRuns(spec, now, 1);
  return computed === null ? undefined : (computed[0] ?? null);
}

function nextRunText(nextRun: string | null | undefined): string {
  if (nextRun === undefined) return UNKNOWN;
  return nextRun === null ? 'never' : instantText(nextRun);
}

/** The prefix tells the keys of one name apart. The key itself is never listed. */
export function listKey({ spec, facts }: Observed<{ readonly scopes: readonly string[] }>): Listing {
  const scopes = spec?.scopes ?? [];
  const [created, used] = [instantOf(facts['createdDate']), instantOf(facts['lastUsedDate'])];
  const keyPrefix = typeof facts['keyPrefix'] === 'string' ? facts['keyPrefix'] : null;
  return {
    values: {
      scopes: scopes.length === 0 ? 'full' : [...scopes],
      keyPrefix,
      createdDate: created,
      lastUsedDate: used,
    },
    columns: {
      scopes: scopes.length === 0 ? 'full' : scopes.join(', '),
      key: keyPrefix === null ? '-' : `${keyPrefix}…`,
      created: created === null ? '-' : instantText(created),
      'last used': used === null ? '-' : instantText(used),
    },
  };
}

function instantOf(value: Json | undefined): string | null {
  return typeof value === 'string' && readInstant(value) !== null ? value : null;
}
