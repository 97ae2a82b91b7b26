import type { IntervalUnit, ScheduleRecord, ScheduleSettings } from '../world.js';

/**
 * When a schedule fires (interface.md §2, Schedule). What clock changes do is not stated. Here minutes and hours are elapsed
 * time; days, weeks and cron keep the wall-clock time; a skipped time moves forward as the clocks do; a repeated time
 * counts once, except for a cron expression for every hour.
 */

const STEP_MS = { Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000, Weeks: 604_800_000 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The last local time that is a date in every zone. */
const LAST = 8.64e15 - 2 * DAY_MS;
/** The calendar repeats: an expression that has not fired by then never will. */
const CYCLE_DAYS = 146_097;

export type Timing = Pick<
  ScheduleSettings,
  'scheduleType' | 'intervalValue' | 'intervalUnit' | 'cronExpression' | 'startTime' | 'timeZoneId'
>;

/** The fire times after `after`, ascending: at most `count`, none after `until`. */
export function fireTimes(timing: Timing, after: Date, count: number, until?: Date): Date[] {
  const times: Date[] = [];
  let last = after.getTime();
  for (const time of candidates(timing, after.getTime())) {
    if (times.length >= count || time > (until?.getTime() ?? LAST)) break;
    // Two local times can be one instant when clocks are set forward.
    if (time <= last) continue;
    last = time;
    times.push(new Date(time));
  }
  return times;
}

/** Ascending; may begin with times that are not after `after`. */
function candidates(timing: Timing, after: number): Iterable<number> {
  const { scheduleType, timeZoneId: zone } = timing;
  const start = localTime(timing.startTime);
  if (scheduleType === 'Once') return [firstInstant(zone, start)];
  if (scheduleType === 'Basic') {
    const unit = timing.intervalUnit ?? 'Days';
    return intervalTimes(zone, start, { unit, step: STEP_MS[unit] * (timing.intervalValue ?? 1) }, after);
  }
  const first = firstInstant(zone, start);
  return cronTimes(zone, known(timing.cronExpression ?? ''), Math.max(after + 1, first));
}

interface Interval {
  readonly unit: IntervalUnit;
  readonly step: number;
}

function* intervalTimes(
  zone: string,
  start: number,
  { unit, step }: Interval,
  after: number,
): Generator<number> {
  const isElapsed = unit === 'Minutes' || unit === 'Hours';
  const first = isElapsed ? firstInstant(zone, start) : start;
  const from = isElapsed ? after : after + offsetAt(zone, after) - DAY_MS;
  const skipped = Math.max(0, Math.floor((from - first) / step));
  for (let time = first + skipped * step; time <= LAST; time += step) {
    yield isElapsed ? time : firstInstant(zone, time);
  }
}

function* cronTimes(zone: string, cron: Cron, from: number): Generator<number> {
  const today = Math.floor((from + offsetAt(zone, from)) / DAY_MS) * DAY_MS;
  // From two days before: a time that is skipped may move into the next day.
  for (const { day, steady } of cronDays(zone, cron, today - 2 * DAY_MS)) {
    const times =
      steady === undefined ? changeDayTimes(zone, cron, day) : steadyTimes(cron, day, steady, from);
    for (const time of times) if (time >= from) yield time;
  }
}

/** The days that an expression fires on. */
function* cronDays(
  zone: string,
  cron: Cron,
  from: number,
): Generator<{ day: number; steady: number | undefined }> {
  let idle = 0;
  for (let day = from; day <= LAST && idle <= CYCLE_DAYS; day += DAY_MS) {
    idle += 1;
    if (!cron.matchesDay(new Date(day))) continue;
    idle = 0;
    yield { day, steady: steadyOffset(zone, day) };
  }
}

function* steadyTimes(cron: Cron, day: number, offset: number, from: number): Generator<number> {
  for (const hour of cron.hours) {
    const start = day + hour * HOUR_MS - offset;
    if (start + HOUR_MS <= from) continue;
    for (const minute of cron.minutes) {
      for (const second of cron.seconds) yield start + minute * 60_000 + second * 1_000;
    }
  }
}

/** Near a clock change, the order of local times is not the order of instants. */
function changeDayTimes(zone: string, cron: Cron, day: number): number[] {
  const isForEveryHour = cron.hours.length === 24;
  const times: number[] = [];
  for (const local of steadyTimes(cron, day, 0, Number.NEGATIVE_INFINITY)) {
    const [first, second] = instantsOf(zone, local);
    times.push(first ?? firstInstant(zone, local));
    if (isForEveryHour && second !== undefined) times.push(second);
  }
  return times.sort((a, b) => a - b);
}

const parsed = new Map<string, Cron>();
const MOST_PARSED = 1_000;

function known(expression: string): Cron {
  const before = parsed.get(expression);
  if (before !== undefined) return before;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  const cron = parseCron(expression);
  parsed.set(expression, cron);
  return cron;
}

/** Why a cron expression is refused, or undefined. */
export function cronProblem(expression: string): string | undefined {
  try {
    known(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The readable summary of the timing (§2, `description`). */
export function describeTiming(timing: Timing): string {
  const start = `${timing.startTime.replace('T', ' ')} ${timing.timeZoneId}`;
  if (timing.scheduleType === 'Once') return `Once at ${start}`;
  if (timing.scheduleType === 'Cron') return `Cron ${timing.cronExpression ?? ''} from ${start}`;
  return `Every ${timing.intervalValue ?? 1} ${(timing.intervalUnit ?? 'Days').toLowerCase()} from ${start}`;
}

/** The next fire time of a record. Valid for one timing, from `from` until `next`. */
interface Computed {
  readonly timing: Timing;
  readonly from: number;
  readonly next: number | undefined;
}

/** Without it, a sandbox with thousands of schedules would spend its time on cron expressions. */
const cache = new WeakMap<ScheduleRecord, Computed>();

/** The first fire time after an instant, in milliseconds; undefined if there is none. */
export function nextFire(schedule: ScheduleRecord, after: number): number | undefined {
  const known = cache.get(schedule);
  if (known !== undefined && covers(known, after) && isSameTiming(known.timing, schedule)) return known.next;
  const next = fireTimes(schedule, new Date(after), 1)[0]?.getTime();
  cache.set(schedule, { timing: timingOf(schedule), from: after, next });
  return next;
}

function covers({ from, next }: Computed, instant: number): boolean {
  return from <= instant && (next === undefined || instant < next);
}

/** Tests change records directly, so a cached time is compared with the timing itself. */
function isSameTiming(a: Timing, b: Timing): boolean {
  return (
    a.scheduleType === b.scheduleType &&
    a.intervalValue === b.intervalValue &&
    a.intervalUnit === b.intervalUnit &&
    a.cronExpression === b.cronExpression &&
    a.startTime === b.startTime &&
    a.timeZoneId === b.timeZoneId
  );
}

function timingOf(schedule: Timing): Timing {
  const { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId } = schedule;
  return { scheduleType, intervalValue, intervalUnit, cronExpression, startTime, timeZoneId };
}

/**
 * Cron expressions of six fields, the first for seconds (interface.md §2). The dialect is not stated: this one has lists,
 * ranges that may wrap around, steps, names, `?`, `L`, `L-3`, `LW`, `15W`, and `#` for the nth weekday of a month. `5C`, a
 * day of a calendar that only the service has, is stored and never fires.
 */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** `date` in UTC stands for a day of the wall clock. */
  readonly matchesDay: (date: Date) => boolean;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
}

interface FieldRule {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly words?: readonly string[];
}

const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(
  ' ',
);
const WEEKDAYS = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ');
const SECOND: FieldRule = { name: 'second', low: 0, high: 59 };
const MINUTE: FieldRule = { name: 'minute', low: 0, high: 59 };
const HOUR: FieldRule = { name: 'hour', low: 0, high: 23 };
const DAY: FieldRule = { name: 'day-of-month', low: 1, high: 31 };
const MONTH: FieldRule = { name: 'month', low: 1, high: 12, words: ['', ...MONTHS] };
const WEEKDAY: FieldRule = { name: 'day-of-week', low: 0, high: 7, words: WEEKDAYS };
const LONGEST_CHARACTERS = 1024;
const DAYS_IN = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Throws Error with the reason: "has five fields …". */
function parseCron(expression: string): Cron {
  if (expression.length > LONGEST_CHARACTERS)
    throw new Error(`is longer than ${LONGEST_CHARACTERS} characters`);
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length !== 6)
    throw new Error(`has ${fields.length} fields instead of six, the first of them for seconds`);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const months = new Set(parseField(month, MONTH));
  checkDayOccurs(day, weekday, months);
  return {
    seconds: parseField(second, SECOND),
    minutes: parseField(minute, MINUTE),
    hours: parseField(hour, HOUR),
    months,
    matchesDay: dayMatcher(day, weekday, months),
  };
}

function isAny(field: string): boolean {
  return field === '*' || field === '?';
}

/** Ascending, each once. */
function parseField(field: string, rule: FieldRule): number[] {
  const values = new Set(field.split(',').flatMap((item) => parseItem(item, rule)));
  return [...values].sort((a, b) => a - b);
}

function parseItem(item: string, rule: FieldRule): number[] {
  const [range = '', step, ...more] = item.split('/');
  const every = step === undefined ? 1 : /^\d{1,4}$/.test(step) ? Number(step) : 0;
  if (every === 0 || more.length > 0) throw invalid(rule, item);
  const [low, high] = parseRange(range, rule, step !== undefined);
  const size = rule.name === WEEKDAY.name ? 7 : rule.high - rule.low + 1;
  const values = [];
  for (let value = low; value <= (low <= high ? high : high + size); value += every)
    values.push(value <= rule.high ? value : value - size);
  return values;
}

function parseRange(range: string, rule: FieldRule, hasStep: boolean): [number, number] {
  if (isAny(range)) return [rule.low, rule.name === WEEKDAY.name ? 6 : rule.high];
  const [from = '', to, ...more] = range.split('-');
  const low = parseValue(from, rule);
  const high = to === undefined ? (hasStep ? rule.high : low) : parseValue(to, rule);
  if (more.length > 0) throw invalid(rule, range);
  return [low, high];
}

function parseValue(text: string, rule: FieldRule): number {
  const word =
    text === ''
      ? -1
      : (rule.words?.findIndex((each) => each === text || (each !== '' && each.slice(0, 3) === text)) ?? -1);
  const value = word >= 0 ? word : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.low && value <= rule.high) return value;
  throw invalid(rule, text);
}

function invalid(rule: FieldRule, text: string): Error {
  return new Error(`has a ${rule.name} field that is not valid: '${text.slice(0, 40)}'`);
}

type DayTest = (date: Date) => boolean;

/** When both days are restricted, either is enough. */
function dayMatcher(day: string, weekday: string, months: ReadonlySet<number>): DayTest {
  const byDay = isAny(day) ? null : dayTest(day);
  const byWeekday = isAny(weekday) ? null : weekdayTest(weekday);
  const matches = [byDay, byWeekday].filter((test) => test !== null);
  return (date) =>
    months.has(date.getUTCMonth() + 1) && (matches.length === 0 || matches.some((test) => test(date)));
}

function dayTest(field: string): DayTest {
  const items = field.split(',');
  const plain = items.filter((item) => monthDay(item) === null);
  const days = new Set(plain.length === 0 ? [] : parseField(plain.join(','), DAY));
  const others = items.flatMap((item) => monthDay(item) ?? []);
  return (date) =>
    days.has(date.getUTCDate()) || others.some((other) => dayIn(date, other) === date.getUTCDate());
}

/** A day that depends on the month: a number of days before its last day, a given day, or the weekday nearest to it. */
interface MonthDay {
  readonly isFromLast: boolean;
  readonly number: number;
  readonly isWeekday: boolean;
}

/** Null for an item that is a number or a range. */
function monthDay(item: string): MonthDay | null {
  const [, before, weekday] = /^L(?:-(\d\d?))?(W?)$/.exec(item) ?? [];
  if (weekday !== undefined)
    return { isFromLast: true, number: parseBefore(before), isWeekday: weekday === 'W' };
  const [, day, letter] = /^(\d\d?)([WC])$/.exec(item) ?? [];
  if (day === undefined) return null;
  const number = parseValue(day, DAY);
  return { isFromLast: false, number: letter === 'W' ? number : Number.NaN, isWeekday: letter === 'W' };
}

function parseBefore(text = '0'): number {
  if (Number(text) < DAY.high) return Number(text);
  throw invalid(DAY, `L-${text}`);
}

/** The day of the date's month that is meant, if that month has it. */
function dayIn(date: Date, { isFromLast, number, isWeekday }: MonthDay): number {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = isFromLast ? last - number : number;
  if (!isWeekday || day < 1 || day > last) return day;
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  if (weekday === 6) return day > 1 ? day - 1 : day + 2;
  return weekday !== 0 ? day : day < last ? day + 1 : day - 2;
}

function weekdayTest(field: string): DayTest {
  const nth = /^(\w+)#([1-5])$/.exec(field);
  if (nth !== null) {
    const weekday = parseValue(nth[1] ?? '', WEEKDAY) % 7;
    return (date) => date.getUTCDay() === weekday && Math.ceil(date.getUTCDate() / 7) === Number(nth[2]);
  }
  const items = field.split(',');
  const last = items
    .filter((item) => /^\w+L$/.test(item))
    .map((item) => parseValue(item.slice(0, -1), WEEKDAY) % 7);
  const plain = items.filter((item) => !/^\w+L$/.test(item));
  const days = new Set(plain.length === 0 ? [] : parseField(plain.join(','), WEEKDAY).map((day) => day % 7));
  return (date) => days.has(date.getUTCDay()) || (last.includes(date.getUTCDay()) && isInLast(date, 7));
}

/** Whether the day is among the last `count` of its month. */
function isInLast(date: Date, count: number): boolean {
  return new Date(date.getTime() + count * 86_400_000).getUTCMonth() !== date.getUTCMonth();
}

function checkDayOccurs(day: string, weekday: string, months: ReadonlySet<number>): void {
  if (isAny(day) || !isAny(weekday)) return;
  const longest = Math.max(...[...months].map((month) => DAYS_IN[month - 1] ?? 31));
  if (day.split(',').some((item) => daysNeeded(item) <= longest)) return;
  throw new Error('never fires: no such month has that day');
}

/** How many days a month must have at least for the item to come. */
function daysNeeded(item: string): number {
  const special = monthDay(item);
  if (special === null) return parseField(item, DAY)[0] ?? 1;
  if (Number.isNaN(special.number)) return 1;
  return special.isFromLast ? special.number + 1 : special.number;
}

/** The areas of IANA names, and the names without one. Intl also knows abbreviations such as PST, which are not names. */
const AREAS =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\//i;
const SINGLE_NAMES = new Set(
  `cet cst6cdt cuba eet egypt eire est est5edt gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hongkong hst iceland iran
   israel jamaica japan kwajalein libya met mst mst7mdt navajo nz nz-chat poland portugal prc pst8pdt roc rok singapore
   turkey uct universal utc w-su wet zulu`.split(/\s+/),
);

const knownZones = new Set<string>();
const MOST_KNOWN = 1_000;

/** Remembers names: to ask Intl takes a tenth of a millisecond. */
export function isZone(name: string): boolean {
  if (knownZones.has(name)) return true;
  if (!isZoneOfIntl(name)) return false;
  if (knownZones.size >= MOST_KNOWN) knownZones.clear();
  knownZones.add(name);
  return true;
}

function isZoneOfIntl(name: string): boolean {
  if (!/^[\w+/-]+$/.test(name)) return false;
  if (!AREAS.test(name) && !SINGLE_NAMES.has(name.toLowerCase())) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The offsets of one day in UTC: `after` applies from `at`, which is infinite on a day without a clock change. */
interface Day {
  readonly before: number;
  readonly after: number;
  readonly at: number;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: Map<number, Day>;
}

const zones = new Map<string, Zone>();
const MOST_DAYS = 20_000;

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(name: string, instant: number): number {
  const zone = zoneOf(name);
  const number = Math.floor(instant / DAY_MS);
  const day = zone.days.get(number) ?? readDay(zone, number);
  return instant < day.at ? day.before : day.after;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const;
  const options = { ...parts, second: 'numeric', hourCycle: 'h23', era: 'short', timeZone: name } as const;
  const zone = { format: new Intl.DateTimeFormat('en-US', options), days: new Map<number, Day>() };
  zones.set(name, zone);
  return zone;
}

function readDay(zone: Zone, number: number): Day {
  if (zone.days.size > MOST_DAYS) zone.days.clear();
  const [start, end] = [number * DAY_MS, (number + 1) * DAY_MS];
  const [before, after] = [readOffset(zone, start), readOffset(zone, end - 1)];
  const at = before === after ? Number.POSITIVE_INFINITY : changeBetween(zone, start, end - 1);
  const day = { before, after, at };
  zone.days.set(number, day);
  return day;
}

/** The first instant of the second offset. */
function changeBetween(zone: Zone, start: number, end: number): number {
  const before = readOffset(zone, start);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function readOffset({ format }: Zone, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  const parts = Object.fromEntries(format.formatToParts(second).map(({ type, value }) => [type, value]));
  const numbers = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((type) => Number(parts[type]));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** The instants at which the zone's clocks show a local time: none, one or two, in order. */
function instantsOf(zone: string, local: number): number[] {
  const offsets = new Set([offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]);
  const found = [...offsets].map((offset) => local - offset);
  return found.filter((instant) => instant + offsetAt(zone, instant) === local).sort((a, b) => a - b);
}

/** A repeated time is the first one; a skipped time moves forward as the clocks do. */
function firstInstant(zone: string, local: number): number {
  return instantsOf(zone, local)[0] ?? local - offsetAt(zone, local - DAY_MS);
}

/** The offset of a local day that no clock change is near. */
function steadyOffset(zone: string, day: number): number | undefined {
  const [before, after] = [offsetAt(zone, day - DAY_MS), offsetAt(zone, day + 2 * DAY_MS)];
  return before === after && offsetAt(zone, day) === before ? before : undefined;
}

const WALL_CLOCK = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?$/;

/** A wall-clock time with seconds, or undefined if it is not one or has an offset. */
export function wallClock(text: string): string | undefined {
  const [, minutes, seconds = '00', fraction = ''] = WALL_CLOCK.exec(text) ?? [];
  if (minutes === undefined) return undefined;
  const plain = `${minutes}:${seconds}`;
  const local = Date.parse(`${plain}Z`);
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(plain)) return undefined;
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? plain : `${plain}.${digits}`;
}

/** Fractions below a millisecond are cut. */
function localTime(text: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Date.parse(`${whole}Z`) + Number(fraction.padEnd(3, '0').slice(0, 3));
}
