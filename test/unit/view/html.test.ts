import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../src/model/finding.js';
import type { Calendar, CalendarComparison } from '../../../src/model/schedule.js';
import { calendarHtml } from '../../../src/view/html/calendar-html.js';
import { failureHtml, html, jsonForPage } from '../../../src/view/html/page.js';
import type { PageData } from '../../../src/view/html/page-data.js';
import { planHtml, planScript } from '../../../src/view/html/plan-html.js';
import { change, diagnostics, emptyPlan, field, place, plan } from './samples.js';

const zeros = Array.from({ length: 24 }, () => 0);
const side = {
  days: [{ date: '2026-12-01', hours: zeros, peaks: zeros }],
  localDays: null,
  starts: 0,
  minutesOverLimit: 0,
  uncounted: 0,
};
const calendar: CalendarComparison = {
  localZone: null,
  from: '2026-12-01T00:00:00.000Z',
  until: '2026-12-02T00:00:00.000Z',
  limit: 60,
  before: {
    ...side,
    days: [{ date: '2026-12-01', hours: [3, 3, ...zeros.slice(2)], peaks: zeros }],
    starts: 6,
  },
  after: {
    ...side,
    days: [{ date: '2026-12-01', hours: [3, 1500, ...zeros.slice(2)], peaks: zeros }],
    starts: 1503,
    minutesOverLimit: 2,
    uncounted: 1,
  },
};

function dataOf(page: string): PageData {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '');
}

function hashOf(text: string | undefined): string {
  return `'sha256-${createHash('sha256')
    .update(text ?? '')
    .digest('base64')}'`;
}

describe('a page', () => {
  test('allows its own style and script by their hashes, no other ones, and no request', () => {
    const page = planHtml(plan);
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1];
    const script = /<script type="module">(.*?)<\/script>/s.exec(page)?.[1];
    expect(/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  test.each([
    ['a calendar', calendarHtml(emptyCalendar(), [])],
    ['errors', failureHtml({ what: 'Plan', project: null, environment: null, diagnostics })],
  ])('of %s has no script and allows none', (_, page) => {
    expect(page).toContain("script-src 'none'");
    expect(page).not.toContain('<script');
  });

  test('has a script in one piece, whose parts share no names', () => {
    expect(planScript()).not.toMatch(/^(import|export)\b/m);
    // Two declarations of one name would be a syntax error.
    expect(() => new Function(`"use strict";${planScript()}`)).not.toThrow();
  });

  test('about errors says which, and that there is no plan', () => {
    const page = failureHtml({ what: 'Plan', project: 'pricing', environment: 'staging', diagnostics });
    expect(page).toContain('No plan, because of errors');
    for (const { code } of diagnostics) expect(page).toContain(code);
  });
});

describe('the page of a plan', () => {
  test('holds every change, the risky ones first, and no object that stays as it is', () => {
    expect(dataOf(planHtml(plan)).changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'delete schedule/christmas',
      'replace key/ci',
      'update schedule/retail-hourly',
      'update group/news',
      'create group/retail-prices',
      'update pipeline/nightly-refresh',
      'adopt group/found',
      'forget group/lost',
    ]);
  });

  test('shows a value in one piece, a list by its elements and a text by its lines', () => {
    const { fields } = dataOf(planHtml(plan)).changes.find(({ address }) => address === 'group/news') ?? {};
    expect(fields).toEqual([
      { path: 'name', before: '"News \\"old\\""', after: '"News"' },
      {
        path: 'description',
        lines: expect.arrayContaining([
          { kind: 'removed', text: 'Ask the news team.' },
          { kind: 'added', text: 'New line.' },
        ]),
      },
      { path: 'members', remark: 'changed outside roster', added: ['times'], removed: ['gazette'] },
    ]);
  });

  test('shows both orders of stages that change their order', () => {
    const { fields } = dataOf(planHtml(plan)).changes.find(({ kind }) => kind === 'pipeline') ?? {};
    expect(fields).toMatchObject([
      { before: 'login-check → catalogue → prices', after: 'login-check → prices → catalogue' },
    ]);
  });

  test('shows a side that does not exist as missing, and not as empty', () => {
    const only = (action: 'create' | 'delete', rest: object) => {
      const changes = [change('group/a', { action, fields: [field('active', rest)] })];
      return dataOf(planHtml({ ...emptyPlan, changes })).changes[0]?.fields;
    };
    expect(only('create', { after: true })).toEqual([{ path: 'active', after: 'true' }]);
    expect(only('delete', { before: true })).toEqual([{ path: 'active', before: 'true' }]);
  });

  test('lists what apply would refuse with the other problems, the worst first', () => {
    expect(dataOf(planHtml(plan)).problems.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'not-allowed'],
      ['warning', 'start-rate'],
    ]);
  });

  test('links to a line of a manifest if the commit is known', () => {
    const changes = [change('group/a', { source: place(17, 3, 1, '  a:') })];
    const urlOf = ({ file, line }: { file: string; line: number }) => `https://git.example/${file}#L${line}`;
    const placeIn = (page: string) => dataOf(page).changes[0]?.place;
    expect(placeIn(planHtml({ ...emptyPlan, changes }, { urlOf }))).toEqual({
      file: 'roster.yaml',
      line: 17,
      url: 'https://git.example/roster.yaml#L17',
    });
    expect(placeIn(planHtml({ ...emptyPlan, changes }))).toEqual({ file: 'roster.yaml', line: 17 });
  });

  test('says how many differences are ignored', () => {
    const page = planHtml({ ...plan, ignored: { properties: {}, differing: [], differences: 2 } });
    expect(page).toContain('<dt>Ignored here</dt><dd>2 differences (');
    expect(planHtml(plan)).not.toContain('Ignored here');
  });

  test('without changes says so and has nothing to filter', () => {
    const page = planHtml(emptyPlan);
    expect(page).toContain('<b>No changes. The service matches the manifests (4 unchanged).</b>');
    expect(page).not.toContain('id="toolbar"');
  });
});

test('a refused plan has the command that applies the rest, if there is one', () => {
  const changes = ['a', 'b'].map((key) => change(`group/${key}`, { action: 'create' }));
  const page = (address: string | null) =>
    planHtml({
      ...emptyPlan,
      changes,
      findings: [refusal('protected', address, 'is protected', 'Keep it.')],
    });
  expect(page('group/a')).toContain('<p>To apply the rest: <code>roster apply group/b</code></p>');
  expect(page(null)).not.toContain('To apply the rest');
});

describe('the calendar of a plan', () => {
  test('is one table with the difference of each hour that changes', () => {
    const page = planHtml({ ...plan, calendar });
    expect(page).toContain(
      ': 6 starts → 1,503 starts, 2 minutes above limits.startsPerMinute (60), not counting 1 schedule, whose start times are unknown (+1,497). The first change is on 2026-12-01, between 01:00 and 02:00 UTC: 3 → 1,500 starts.</p>',
    );
    expect(page.match(/<caption>.*?<\/caption>/g)).toHaveLength(1);
    expect(page.match(/<td class="[^"]*moved".*?<\/td>/g)).toEqual([
      '<td class="h1 moved" title="3 → 1,500">1,500 <span class="delta">+1,497</span><span class="unseen"> (before: 3)</span></td>',
    ]);
  });

  test('marks hours in which nothing starts any more', () => {
    const page = planHtml({ ...plan, calendar: { ...calendar, after: side } });
    expect(page.match(/<td class="[^"]*gone".*?<\/td>/g)).toEqual([
      '<td class="none moved gone" title="3 → 0"> <span class="delta">−3</span><span class="unseen"> (before: 3)</span></td>',
      '<td class="none moved gone" title="3 → 0"> <span class="delta">−3</span><span class="unseen"> (before: 3)</span></td>',
    ]);
  });

  test('has a legend of what is in the table alone', () => {
    const legendOf = (page: string) => /<p class="legend">.*?<\/p>/.exec(page)?.[0].replace(/<.*?>/g, '');
    expect(legendOf(planHtml({ ...plan, calendar }))).toBe(
      'Agents started per hour:   3  1,500  changed by the plan',
    );
    expect(legendOf(planHtml({ ...plan, calendar: { ...calendar, after: side } }))).toBe(
      'Agents started per hour:   3  nothing starts any more',
    );
  });

  test('shows the clocks of most schedules, and UTC behind a button', () => {
    const local = [{ date: '2026-12-01', hours: [...zeros.slice(1), 3], peaks: zeros }];
    const sides = {
      before: { ...calendar.before, localDays: local },
      after: { ...calendar.after, localDays: local },
    };
    const page = planHtml({ ...plan, calendar: { ...calendar, ...sides, localZone: 'Europe/Berlin' } });
    expect(page.match(/<caption>.*?<\/caption>|<button type="button" data-zone.*?<\/button>/g)).toEqual([
      '<button type="button" data-zone="local" aria-pressed="true">Europe/Berlin</button>',
      '<button type="button" data-zone="utc" aria-pressed="false">UTC</button>',
      '<caption>Agents started per hour, times in Europe/Berlin</caption>',
      '<caption>Agents started per hour, times in UTC</caption>',
    ]);
  });

  test('is left out where nothing starts', () => {
    expect(planHtml({ ...plan, calendar: { ...calendar, before: side, after: side } })).not.toContain(
      'id="calendar"',
    );
  });

  test('says that the plan does not change it', () => {
    const page = planHtml({ ...plan, calendar: { ...calendar, after: calendar.before } });
    expect(page).toContain(': 6 starts. The plan changes none of them.');
    expect(page).not.toMatch(/class="delta"|<td class="[^"]*moved/);
  });

  test('marks hours with a minute over the limit, and says how many start in it', () => {
    const hours = [80, 80, ...zeros.slice(2)];
    const days = [{ date: '2026-12-01', hours, peaks: [61, 60, ...zeros.slice(2)] }];
    const page = calendarHtml({ ...emptyCalendar(), days }, []);
    expect(page.match(/<td class="h0.*?<\/td>/g)).toEqual([
      '<td class="h0 peak" title="80, up to 61 in one minute">80<span class="unseen"> (up to 61 in one minute)</span></td>',
      '<td class="h0">80</td>',
    ]);
    expect(page).toContain('<span class="key none peak"></span> more than 60 in one minute</span>');
  });

  test('shades hours by their magnitude, so that one busy hour does not hide the others', () => {
    const hours = [1, 10, 100, 1000, 100_000, ...zeros.slice(5)];
    const page = calendarHtml(
      { ...emptyCalendar(), days: [{ date: '2026-12-01', hours, peaks: zeros }] },
      [],
    );
    const shades = [...page.matchAll(/<td class="h(\d)"/g)].slice(0, 5).map(([, shade]) => Number(shade));
    expect(shades).toEqual([...new Set(shades)].sort());
  });
});

describe('HTML', () => {
  test('takes every value as text, also in lists and attributes', () => {
    const name = '<b title="x">&\'`';
    const escaped = '&#60;b title=&#34;x&#34;&#62;&#38;&#39;&#96;';
    expect(html`<p title="${name}">${[name, html`<i>${name}</i>`, null]}</p>`.text).toBe(
      `<p title="${escaped}">${escaped}<i>${escaped}</i></p>`,
    );
  });

  test('holds data that cannot end its element', () => {
    const data = { text: '</script><!--<script>\u2028\u202e' };
    const { text } = jsonForPage(data);
    expect(text).not.toMatch(/[<\u2028\u202e]/);
    expect(JSON.parse(text)).toEqual({ text: '</script><!--<script>\\u{2028}\\u{202e}' });
  });
});

function emptyCalendar(): Calendar {
  return {
    project: 'pricing',
    environment: null,
    timeZone: 'UTC',
    from: new Date('2026-12-01T00:00:00Z'),
    until: new Date('2026-12-02T00:00:00Z'),
    limit: 60,
    days: side.days,
    timeZoneData: '2026a',
    schedules: 0,
    starts: 0,
    busiest: [],
    minutesOverLimit: 0,
    uncounted: [],
  };
}
