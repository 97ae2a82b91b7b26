import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Action, Change, Plan } from '../../src/model/plan.js';
import type { CalendarComparison } from '../../src/model/schedule.js';
import { planHtml } from '../../src/view/html/plan-html.js';
import { Browser, browserPath } from '../support/browser.js';
import { isLong } from '../support/size.js';
import { change, diagnostics, field, place, plan } from '../unit/view/samples.js';

const actions: readonly Action[] = ['create', 'update', 'delete', 'adopt'];

/** Changes of four files and two kinds; every fourth is a delete. */
function planOf(count: number): Plan {
  const changes = Array.from({ length: count }, (_, index): Change => {
    const kind = index % 2 === 0 ? 'group' : 'schedule';
    const action = actions[index % 4] ?? 'create';
    return change(`${kind}/item-${index}`, {
      action,
      id: `id-${index}`,
      fields: [
        field('description', { before: `old text ${index}`, after: `new text ${index}`, layout: 'text' }),
        // Unlike the others, so that none are grouped.
        field(`members-${index}`, { before: ['a', `b${index}`], after: [`c${index}`, 'a'], layout: 'set' }),
      ],
      risks: action === 'delete' ? [{ code: 'delete', message: 'it is no longer declared' }] : [],
      source: action === 'delete' ? null : place(index + 1, 3, 4, '', `teams/${index % 3}.yaml`),
    });
  });
  const links = changes.flatMap(({ address }, index) =>
    index % 2 === 1
      ? [
          { from: address, to: `group/item-${index - 1}`, stage: null },
          { from: `group/item-${index - 1}`, to: `agent/shop-${index}`, stage: null },
        ]
      : [],
  );
  return { ...plan, changes, links, steps: [], findings: diagnostics };
}

const zeros = Array.from({ length: 24 }, () => 0);
const hoursOf = (at: number, starts: number) => [
  { date: '2026-12-01', hours: zeros.with(at, starts), peaks: zeros },
];
const localCalendar: CalendarComparison = {
  localZone: 'Europe/Berlin',
  from: '2026-12-01T00:00:00.000Z',
  until: '2026-12-08T00:00:00.000Z',
  limit: 60,
  before: {
    days: hoursOf(5, 1),
    localDays: hoursOf(6, 1),
    starts: 1,
    minutesOverLimit: 0,
    uncounted: 0,
  },
  after: {
    days: hoursOf(5, 3),
    localDays: hoursOf(6, 3),
    starts: 3,
    minutesOverLimit: 0,
    uncounted: 0,
  },
};

const changed = (page: Page) => page.locator('#list .change:not(.group) summary');
const groups = (page: Page) => page.locator('#list .change.group summary');
const shown = (page: Page) => page.locator('#shown').textContent();
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.querySelector('.address')?.textContent);

// A browser takes seconds to start: the long run has these tests.
const why = browserPath === undefined ? 'there is no Chromium' : isLong ? '' : 'part of the long run';
describe.skipIf(why !== '')(`the page of a plan in a browser${why && ` (skipped: ${why})`}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.start();
  });
  afterAll(() => browser.close());
  afterEach(() => expect(browser.complaints.splice(0)).toEqual([]));

  test('filters by words, action, kind, risk and file, and counts what is left', async () => {
    const page = await browser.open(planHtml(planOf(100)));
    expect(await shown(page)).toBe('100 changes');
    await page.fill('#query', 'NEW text 13');
    expect([await shown(page), await changed(page).count()]).toEqual(['1 of 100 changes', 1]);
    await page.click('#reset');
    await page.click('[data-action=delete]');
    expect([await shown(page), await page.getAttribute('[data-action=delete]', 'aria-pressed')]).toEqual([
      '25 of 100 changes',
      'true',
    ]);
    await page.selectOption('#kind', 'group');
    expect(await shown(page)).toBe('25 of 100 changes');
    await page.selectOption('#kind', 'schedule');
    expect(await shown(page)).toBe('0 of 100 changes');
    await page.click('#reset');
    await page.selectOption('#risk', { label: 'any risk (25)' });
    expect(await shown(page)).toBe('25 of 100 changes');
    await page.selectOption('#file', { label: 'deleted entries (25)' });
    expect(await shown(page)).toBe('25 of 100 changes');
    await page.selectOption('#risk', '');
    await page.selectOption('#file', 'teams/1.yaml');
    expect(await shown(page)).toBe('25 of 100 changes');
  });

  test('shows many like changes as one closed group, whose changes a click or a search shows', async () => {
    const like = Array.from({ length: 3_000 }, (_, index) =>
      change(`group/new-${index}`, {
        action: 'create',
        fields: [field('description', { before: null, after: 'the same' })],
        source: place(1, 3, 4, '', 'teams/a.yaml'),
      }),
    );
    const page = await browser.open(planHtml({ ...planOf(0), changes: like }));
    expect([await groups(page).count(), await changed(page).count()]).toEqual([1, 0]);
    expect(await groups(page).locator('.address').textContent()).toBe('3,000 groups');
    expect(await groups(page).textContent()).toContain(
      'group/new-0, group/new-1, group/new-2, group/new-3 and 2,996 more',
    );
    // All changes have the same kind and file, so there is nothing to choose.
    expect([await page.isVisible('#kind'), await page.isVisible('#file')]).toEqual([false, false]);
    // A browser tells the page of an open group later than of the click.
    await groups(page).click();
    await expect.poll(() => changed(page).count()).toBeGreaterThan(0);
    await groups(page).click();
    await expect.poll(() => changed(page).count()).toBe(0);
    await page.fill('#query', 'new-2999');
    expect([await shown(page), await changed(page).count()]).toEqual(['1 of 3,000 changes', 1]);
  });

  test('opens a change with its differences, and its address in a link', async () => {
    const html = planHtml(planOf(100));
    const page = await browser.open(html);
    await page.fill('#query', 'item-33');
    await changed(page).first().click();
    const added = () => page.locator('.body ins').allTextContents();
    await expect.poll(added).toEqual(['added "new text 33"', 'added c33']);
    const linked = await browser.open(html, '#open=schedule%2Fitem-97');
    expect(await focused(linked)).toBe('schedule/item-97');
    expect(await linked.locator('details[open] .address').textContent()).toBe('schedule/item-97');
    await linked.getByRole('button', { name: 'group/item-96' }).click();
    expect(await focused(linked)).toBe('group/item-96');
  });

  test('can be used with the keyboard alone', async () => {
    const page = await browser.open(planHtml(planOf(500)));
    await page.keyboard.press('/');
    await page.keyboard.type('item');
    await page.keyboard.press('ArrowDown');
    const first = await focused(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).toBe(first);
    await page.keyboard.press('Enter');
    expect(await page.locator('#list details[open]').count()).toBe(1);
    await page.keyboard.press('End');
    expect(await page.locator(':focus').isVisible()).toBe(true);
    expect(
      await page.evaluate(() =>
        document.activeElement?.closest('[role=listitem]')?.getAttribute('aria-posinset'),
      ),
    ).toBe('500');
    await page.focus('[role=tab]');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#graph').isVisible()).toBe(true);
    await page.locator('#drawing [role=button]').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#changes').isVisible()).toBe(true);
  });

  test('names everything that can be used, for screen readers', async () => {
    const page = await browser.open(planHtml(planOf(50)));
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('input, select, button, [role=group], [role=list], [role=tabpanel]')]
        .filter((each) => {
          const labels =
            each instanceof HTMLInputElement || each instanceof HTMLSelectElement
              ? [...(each.labels ?? [])]
              : [];
          const words = [
            each.getAttribute('aria-label'),
            each.getAttribute('aria-labelledby'),
            ...labels.map((label) => label.textContent),
          ];
          const own = each instanceof HTMLButtonElement ? each.textContent : '';
          return [...words, own].every((word) => (word ?? '').trim() === '');
        })
        .map((each) => each.outerHTML),
    );
    expect(unnamed).toEqual([]);
    expect(await page.locator('#list [role=listitem]').first().getAttribute('aria-setsize')).toBe('50');
  });

  test('makes no more elements for 10,000 changes than for 1,000, and finds one of them', async () => {
    const elements = async (count: number) => {
      const page = await browser.open(planHtml(planOf(count)));
      const number = await page.evaluate(() => document.querySelectorAll('#list .change *').length);
      return { page, number };
    };
    const small = await elements(1_000);
    const large = await elements(10_000);
    expect(large.number).toBeLessThanOrEqual(small.number);
    await large.page.fill('#query', 'item-9999');
    expect(await shown(large.page)).toBe('1 of 10,000 changes');
  });

  test('shows rows wherever it is scrolled to', async () => {
    const page = await browser.open(planHtml(planOf(10_000)));
    for (const part of [0.3, 0.7, 0.99, 0.01]) {
      await page.evaluate((at) => {
        const { top, height } = document.querySelector('#list')?.getBoundingClientRect() ?? {
          top: 0,
          height: 0,
        };
        window.scrollBy(0, top + height * at - 300);
      }, part);
      await expect
        .poll(
          () => page.evaluate(() => document.elementFromPoint(400, 310)?.closest('.change')?.className ?? ''),
          { timeout: 60_000 },
        )
        .toContain('change');
    }
  });

  test.each([
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "javascript:alert('1')",
    '<iframe src=https://evil.example></iframe>',
    '{{constructor.constructor("alert(1)")()}}',
    '__proto__',
  ])('takes %s for a text wherever it stands', async (name) => {
    const hostile = {
      ...planOf(4),
      project: name,
      environment: name,
      changes: [
        change(`group/${name}`, {
          id: name,
          name,
          inBrief: name,
          fields: [
            field(name, { before: name, after: `${name}2` }),
            field('text', { before: name, after: `a\n${name}`, layout: 'text' }),
          ],
          risks: [{ code: 'adopt', message: name }],
          notes: [name],
          source: place(1, 1, 1, '', name),
        }),
        change(name, { action: 'create' }),
      ],
      links: [
        { from: `group/${name}`, to: name, stage: null },
        { from: `group/${name}`, to: 'agent/acme-shop', stage: null },
      ],
      findings: [{ severity: 'warning', code: 'start-rate', message: name, help: name }],
    } satisfies Plan;
    const page = await browser.open(planHtml(hostile, { urlOf: () => name }));
    await page.click('#open-all');
    await page.fill('#query', name);
    expect(await shown(page)).toMatch(/^(2|1 of 2) changes$/);
    for (const tab of ['graph', 'problems', 'changes']) await page.click(`#tab-${tab}`);
    const foreign =
      'img, iframe, a:not([href^="http"]), script:not([type="application/json"]):not([type=module])';
    expect(await page.locator(foreign).count()).toBe(0);
    expect(await page.locator('h1').textContent()).toBe(`${name} ${name}`);
  });

  test('filters by owner, as CODEOWNERS gives them', async () => {
    const [first, second, ...others] = planOf(4).changes;
    if (first === undefined || second === undefined) throw new Error('no changes');
    const owned = [
      { ...first, owners: ['@acme/retail', '@acme/leads'] },
      { ...second, owners: ['@acme/travel'] },
    ];
    const page = await browser.open(planHtml({ ...planOf(4), changes: [...owned, ...others] }));
    const listed = () => changed(page).locator('.address').allTextContents();
    await page.selectOption('#owner', '@acme/leads');
    expect(await listed()).toEqual(['group/item-0']);
    await page.selectOption('#owner', '@acme/travel');
    expect([await listed(), await shown(page)]).toEqual([['schedule/item-1'], '1 of 4 changes']);
    await page.selectOption('#owner', '-');
    expect(await listed()).toEqual(['group/item-2', 'schedule/item-3']);
  });

  test('shows the calendar by the clocks of most schedules, or in UTC', async () => {
    const page = await browser.open(planHtml({ ...planOf(4), calendar: localCalendar }), '#tab=calendar');
    const captions = page.locator('.heat caption:visible');
    expect(await captions.allTextContents()).toEqual(['Agents started per hour, times in Europe/Berlin']);
    await page.getByRole('button', { name: 'UTC' }).click();
    expect(await captions.allTextContents()).toEqual(['Agents started per hour, times in UTC']);
    expect(await page.getByRole('button', { name: 'UTC' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Europe/Berlin' }).click();
    expect(await captions.allTextContents()).toEqual(['Agents started per hour, times in Europe/Berlin']);
  });

  test('copies the digest, and selects it where the browser does not let it copy', async () => {
    const page = await browser.open(planHtml(planOf(4)));
    await page.evaluate(() => {
      const copied: string[] = [];
      const clipboard = { writeText: async (text: string) => void copied.push(text) };
      Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
      Object.assign(globalThis, { copied });
    });
    await page.click('#copy');
    expect(await page.locator('#copy').textContent()).toBe('Copied');
    expect(await page.evaluate(() => Reflect.get(globalThis, 'copied'))).toEqual([plan.digest]);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.click('#copy');
    expect(await page.locator('#copy').textContent()).toBe('Selected');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(plan.digest);
  });

  test('has everything open on paper, and is as it was after that', async () => {
    const like = Array.from({ length: 300 }, (_, index) =>
      change(`group/new-${index}`, {
        action: 'create',
        fields: [field('description', { before: null, after: 'the same' })],
        source: place(1, 3, 4, '', 'teams/a.yaml'),
      }),
    );
    const made = { ...planOf(8), calendar: localCalendar };
    const page = await browser.open(planHtml({ ...made, changes: [...made.changes, ...like] }));
    const before = [await changed(page).count(), await groups(page).count()];
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const closed = page.locator('#list details:not([open])');
    expect([await changed(page).count(), await closed.count()]).toEqual([308, 0]);
    for (const panel of ['changes', 'graph', 'calendar', 'problems'])
      expect([panel, await page.locator(`#${panel}`).isVisible()]).toEqual([panel, true]);
    expect(await page.locator('.arrow').count()).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect([await changed(page).count(), await groups(page).count()]).toEqual(before);
    expect(await page.locator('#list details[open]').count()).toBe(0);
  });

  test('has the verdict, the risks and the starts on the first screen of a phone', async () => {
    const page = await browser.open(planHtml({ ...plan, findings: [] }));
    await page.setViewportSize({ width: 390, height: 844 });
    for (const part of ['.verdict', '.risky', '.starts']) {
      const box = await page.locator(part).boundingBox();
      expect([part, box !== null && box.y + box.height <= 844]).toEqual([part, true]);
    }
  });

  test('draws the graph of what is shown, and says what it leaves out', async () => {
    const page = await browser.open(planHtml(planOf(1_000)), '#tab=graph');
    expect(await page.locator('.arrow').count()).toBe(150);
    expect(await page.locator('#graph-note').textContent()).toContain('Of 1,000 arrows, 150 are drawn');
    await page.fill('#query', 'item-7');
    expect(await page.locator('.arrow').count()).toBeLessThan(150);
  });

  test('follows the color scheme of the reader', async () => {
    const page = await browser.open(planHtml(planOf(4)));
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe('rgb(13, 17, 23)');
  });

  test('lets no script run that is not its own', async () => {
    const page = await browser.open(planHtml(planOf(4)));
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      try {
        script.textContent = 'globalThis.ran = true';
        document.body.append(script);
      } catch {
        // Trusted types refuse even the text.
      }
      return Reflect.get(globalThis, 'ran') === true;
    });
    expect(ran).toBe(false);
    expect(browser.complaints.splice(0).join()).toMatch(/Content Security Policy|TrustedScript/);
  });
});
