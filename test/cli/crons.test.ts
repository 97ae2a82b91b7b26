import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { calendar } from '../../src/engine/calendar.js';
import { readProject } from '../../src/engine/project.js';
import { calendarJson } from '../../src/view/json/plan-json.js';
import { jsonOf } from '../support/json.js';
import { roster } from '../support/program.js';

/** The command has no dates in its cron parser (scripts/bundle.ts): the modules have the whole of it. */

const cwd = mkdtempSync(join(tmpdir(), 'roster-crons-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const source = { cwd, env: {} };

const valid = [
  '0 30 2 * * *',
  '*/20 0 0 1 * *',
  '0 5/10 1-3 * MAR *',
  '0 0 9 ? * MON-FRI',
  '0 0 10 * jan,JUL thu',
  '0 0 11 L * *',
  '0 0 12 L-3 * *',
  '0 0 13 LW * *',
  '0 0 14 15W * *',
  '0 0 15 * * 5L',
  '0 0 16 * * MON#2',
  '0 0 17 31 4 MON',
  '0 0 18 * * FRI-SUN',
  '0 0 19 29 2 *',
];
const invalid = [
  '0 H 2 * * *',
  '0 0 24 * * *',
  '0 0 0 31 2 *',
  '0 0 0 * * FUNDAY',
  '0 */0 * * * *',
  '@daily',
];

function declare(crons: readonly string[]): void {
  const entries = crons.map(
    (cron, index) =>
      `  s${index}: { target: agent/acme-shop, cron: "${cron}", startTime: "2026-01-01T00:00:00" }\n`,
  );
  writeFileSync(join(cwd, 'roster.yaml'), `project: p\nschedules:\n${entries.join('')}`);
}

test('the command counts the starts of cron expressions as its modules do', async () => {
  declare(valid);
  const { stdout, exit } = await roster(
    ['calendar', '--from', '2028-02-01', '--days', '90', '--format', 'json'],
    { cwd },
  );
  const made = calendar(source, { from: '2028-02-01', days: 90, zone: 'UTC' });
  const { days, ...expected } = JSON.parse(JSON.stringify(calendarJson(made.calendar, [])));
  expect(exit).toBe(0);
  expect(jsonOf({ stdout })).toMatchObject({ days, starts: expected.starts, schedules: valid.length });
});

test('the command refuses the cron expressions that its modules refuse, with the same words', async () => {
  declare([...valid, ...invalid]);
  const { stdout } = await roster(['validate', '--format', 'json'], { cwd });
  const words = ({ code, message, help }: { code: string; message: string; help?: string | undefined }) => ({
    code,
    message,
    help,
  });
  const expected = readProject(source).diagnostics.map(words);
  expect(expected.filter(({ code }) => code === 'invalid-cron')).toHaveLength(invalid.length);
  expect(jsonOf({ stdout }).diagnostics.map(words)).toEqual(expected);
});
