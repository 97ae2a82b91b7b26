import { describe, expect, test } from 'vitest';
import { canonicalCron, nextFireDay, readCron } from '../../../src/timing/cron.js';
import { cronProblem, cronWarnings, isUnknownCron } from '../../../src/timing/cron-check.js';

describe('an expression is accepted', () => {
  test.each([
    '0 30 2 * * *',
    '* * * * * *',
    '0 0 9 ? * MON-FRI',
    '0 0 9 * jan,JUL thu',
    '0 0 0 29 2 *',
    '0 0 0 L * *',
    '0 0 0 * * 5L',
    '0 0 0 * 2 MON#5',
    '0 0 0 31 4 MON',
    '  0  0 0 1 * * ',
    '0 5/10 0-6 * MAR *',
    '0 0 0 l * thu',
  ])('%j', (text) => {
    expect(cronProblem(text)).toBeNull();
  });
});

describe('an expression is refused with a hint', () => {
  test.each([
    ['', 'six fields'],
    ['   ', 'six fields'],
    ['30 2 * * *', 'Put the seconds first: "0 30 2 * * *".'],
    ['0 30 2 * * * 2026', 'Omit the year'],
    ['@daily', 'Write "0 0 0 * * *".'],
    ['@reboot', 'six fields'],
    ['0 H 2 * * *', 'Replace `H` with a number.'],
    ['0 h/5 2 * * *', 'Replace `H` with a number.'],
    ['0 0,H(1-5) 2 * * *', 'Replace `H` with a number.'],
    ['0 30 2 * * *\n', 'on one line'],
    ['0\t30 2 * * *', 'on one line'],
    ['0 30 2 * * \u0661', 'in ASCII'],
    ['60 0 0 * * *', '0-59'],
    ['0 0 24 * * *', '0-23'],
    ['0 0 0 0 * *', '1-31'],
    ['0 0 0 * 13 *', 'JAN-DEC'],
    ['0 */0 * * * *', '0-59'],
    ['0 0 0 32W * *', '1-31'],
    ['0 0 0 L-31 * *', 'L, L-3, LW, 15W'],
    ['0 0 0 31W 2 *', 'the month has that day'],
    ['0 0 0 * * MON#6', 'FRIL, MON#2'],
    ['0 0 0 * * MONDAYS', 'SUN-SAT'],
    ['0 0 0 * SEPT *', 'JAN-DEC'],
    ['0 0 0 L * MON-', 'SUN-SAT'],
    ['0 5-/2 0 * * *', '0-59'],
    ['0 0 0 31 2 *', 'the month has that day'],
    ['0 0 0 31 4,6,9,11 *', 'the month has that day'],
    [`0 ${'1,'.repeat(1000)}1 0 * * *`, 'six fields'],
    ['0 0 0 * JANFEB *', 'JAN-DEC'],
    ['0 0 0 * 1JAN *', 'JAN-DEC'],
    ['0 0 0 * JAN2 *', 'JAN-DEC'],
    ['0 0 0 * * 0MON', 'SUN-SAT'],
    ['0 0 0 * * MONTUE', 'SUN-SAT'],
    ['0 0 0 * * 5#1E0', 'SUN-SAT'],
    ['0 0 0 * * 5#0X1', 'SUN-SAT'],
    ['0 0 0 * * 5#+1', 'SUN-SAT'],
    ['0 0 0X5 * * *', '0-23'],
    ['0 */1E1 * * * *', '0-59'],
    ['0 0 0 1. * *', '1-31'],
  ])('%j', (text, help) => {
    const problem = cronProblem(text);
    expect(`${problem?.message} ${problem?.help}`).toContain(help);
  });

  test('the message names the field that is wrong', () => {
    expect(cronProblem('0 0 24 * * *')?.message).toContain('its hour field');
    expect(cronProblem('0 0 0 * * FUNDAY')?.message).toContain('its day-of-week field');
  });
});

test('case and spaces of an expression have no meaning', () => {
  expect(canonicalCron(' 0  0 9 * * mon-Fri ')).toBe('0 0 9 * * MON-FRI');
  expect(canonicalCron('not a cron')).toBe('NOT A CRON');
});

test('reading what the check refuses for its form is a bug of the caller', () => {
  expect(() => readCron('@daily')).toThrow(RangeError);
  expect(() => readCron('0 0 24 * * *')).toThrow(RangeError);
});

const day = 86_400_000;

/** The days of a year on which it fires, as `MM-DD`. */
function daysIn(text: string, year: number): string[] {
  const cron = readCron(text);
  const days: string[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  let next = nextFireDay(cron, new Date(Date.UTC(year, 0, 1)));
  while (next !== null && next.getTime() < end) {
    days.push(next.toISOString().slice(5, 10));
    next = nextFireDay(cron, new Date(next.getTime() + day));
  }
  return days;
}

describe('an expression fires on the days that Quartz, Quartz.NET and Cronos agree on', () => {
  test.each([
    ['0 0 0 L-3 2,4 *', ['02-25', '04-27']],
    ['0 0 0 L-0 2 *', ['02-28']],
    // 1 August 2026 is a Saturday, 15 November a Sunday, 31 October a Saturday.
    ['0 0 0 1W 8 *', ['08-03']],
    ['0 0 0 15W 11 *', ['11-16']],
    ['0 0 0 15W 8 *', ['08-14']],
    ['0 0 0 LW 10 *', ['10-30']],
    ['0 0 0 L-1W 10 *', ['10-30']],
    // 31 May 2026 is a Sunday: the nearest weekday of the same month comes before it.
    ['0 0 0 31W 5 *', ['05-29']],
    ['0 0 0 15W,1 8 *', ['08-01', '08-14']],
    ['0 0 0 28-2 3 *', ['03-01', '03-02', '03-28', '03-29', '03-30', '03-31']],
    ['0 0 0 1 NOV-FEB *', ['01-01', '02-01', '11-01', '12-01']],
    ['0 0 0 ? 1 MONDAY#2', ['01-12']],
    ['0 0 0 ? 1 FRIDAYL', ['01-30']],
    ['0 0 0 ? JANUARY SUNDAY', ['01-04', '01-11', '01-18', '01-25']],
  ])('%s: %j', (text, days) => {
    expect(daysIn(text, 2026)).toEqual(days);
  });

  test.each([
    ['0 0 0 * * FRI-SUN', '0 0 0 * * 0,5,6'],
    ['0 0 0 * * 5-1', '0 0 0 * * 0,1,5,6'],
    ['0 0 0 * * SAT-3/2', '0 0 0 * * 6,1,3'],
    ['0 0 0 * * 1/2', '0 0 0 * * 0,1,3,5'],
    ['0 0 0 * * 0,7', '0 0 0 * * 0'],
    ['0 0 22-3 * * *', '0 0 0,1,2,3,22,23 * * *'],
    ['0 0 22-3/2 * * *', '0 0 0,2,22 * * *'],
    ['0 1-15/5,6 0 * * *', '0 1,6,11 0 * * *'],
    ['0 50-10/10 0 * * *', '0 0,10,50 0 * * *'],
    ['5,5,05 0 0 * * *', '5 0 0 * * *'],
    ['0 */20,7 0 * * *', '0 0,7,20,40 0 * * *'],
  ])('%s as %s', (text, same) => {
    const [one, other] = [readCron(text), readCron(same)];
    expect(cronProblem(text)).toBeNull();
    expect([one.seconds, one.minutes, one.hours]).toEqual([other.seconds, other.minutes, other.hours]);
    expect(daysIn(text, 2026)).toEqual(daysIn(same, 2026));
  });
});

describe('an expression that only some services can read is left to the service', () => {
  test.each(['0 0 0 5C * ?', '0 0 0 ? * L', '0 0 0 ? * MON#1,TUE#2', '0 0 0 W * ?', '0 0 0 ? * MON-FRI#2'])(
    '%s',
    (text) => {
      expect(cronProblem(text)).toBeNull();
      expect(isUnknownCron(text)).toBe(true);
      expect(cronWarnings(text)).toMatchObject([{ code: 'unknown-cron' }]);
      expect(() => readCron(text)).toThrow(RangeError);
    },
  );

  test.each(['0 30 2 * * *', '0 0 0 LW * ?', '0 0 24 * * *', '@daily'])('%s is not one of them', (text) => {
    expect(isUnknownCron(text)).toBe(false);
  });
});

describe('a warning names what services read differently', () => {
  test.each([
    ['0 0 0 1 * MON', ['day of month and the day of week']],
    ['0 0 0 LW * FRI', ['day of month and the day of week']],
    ['0 0 0 * * 1', ['numbers a day of the week']],
    ['0 0 0 ? * 2-6', ['numbers a day of the week']],
    ['0 0 0 1 * 5L', ['day of month and the day of week', 'numbers a day of the week']],
    ['0 */90 * * * *', ['the step of */90 is larger than the minute field']],
    ['0 0 0/24 * * *', ['the step of 0/24 is larger than the hour field']],
    ['0 */45 * * * *', ['the step of */45 starts again with each hour, so the minute after 45 is 0']],
    ['0/45 * * * * *', ['the step of 0/45 starts again with each minute, so the second after 45 is 0']],
    ['0 0 */5 * * *', ['the step of */5 starts again with each day, so the hour after 20 is 0']],
    ['0 0 0 */2 * ?', ['starts again with each month, so the day of month after 31 is 1']],
    ['0 0 0 1 */5 *', ['starts again with each year, so the month after 11 is 1']],
    ['0 0 0 ? * */2', ['starts again with each week, so the day of week after 6 is 0']],
    ['*/7 */40 * * * *', ['the second after 56 is 0', 'the minute after 40 is 0']],
    ['0 0/20 8/4 * * *', []],
    ['0 5-50/7 9-17/5 1-9/2 * *', []],
    ['0 0 0 ? * MONDAY', ['which only some services know: MONDAY']],
    ['0 0 0 ? january,july friday-sunday', ['only some services know: JANUARY, JULY, FRIDAY, SUNDAY']],
    ['0 0 0 ? MAY TUESDAYL', ['only some services know: TUESDAYL']],
    ['0 0 0 ? * MON', []],
    ['0 0 0 * * *', []],
    ['0 0 0 * * 0-6', []],
    ['0 */15 * 1,L ? ?', []],
    ['0 0 0 1 */6 *', []],
  ])('%s: %j', (text, expected) => {
    const found = cronWarnings(text).map(({ message }) => message);
    expect(found).toHaveLength(expected.length);
    for (const [index, part] of expected.entries()) expect(found[index]).toContain(part);
  });

  test('offer the short names of days and months', () => {
    const [warning] = cronWarnings('0 0 0  ? January,may Friday#2');
    expect(warning?.help).toBe('Write the short name: "0 0 0 ? JAN,MAY FRI#2".');
    expect(warning?.code).toBe('unknown-cron');
  });
});
