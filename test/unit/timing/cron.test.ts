import { describe, expect, test } from 'vitest';
import { canonicalCron, cronProblem, readCron } from '../../../src/timing/cron.js';

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
    ['0 0 0 * * FRI-MON', 'low to high'],
    ['0 */0 * * * *', '0-59'],
    ['0 0 0 15W * *', '1-31'],
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
