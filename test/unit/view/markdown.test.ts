import { describe, expect, it } from 'vitest';
import { refusal, risk } from '../../../src/model/finding.js';
import type { Change } from '../../../src/model/plan.js';
import {
  htmlCode,
  markdownCode,
  markdownMarker,
  markdownProse,
} from '../../../src/view/markdown/markdown-escape.js';
import { MARKDOWN_LIMIT } from '../../../src/view/markdown/page-parts.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { change, emptyPlan, field } from './samples.js';

describe('Markdown escaping', () => {
  it.each([
    ['plain', '`plain`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['', '`  `'],
    [' x ', '`  x  `'],
    ['<b>@team', '`<b>@team`'],
  ])('%j as code is %j', (text, expected) => expect(markdownCode(text)).toBe(expected));

  it.each([
    ['the key "roster ci" stops working', 'the key "roster ci" stops working'],
    ['ask @team about #12 now', 'ask `@team` about `#12` now'],
    ['see https://evil.example and <img>', 'see `https://evil.example` and `<img>`'],
    ['1. *not* a list', '`1`. `*not*` a list'],
    ['the key (svc_live_ab…, old), and `deliver: x`.', 'the key (`svc_live_ab…`, old), and `deliver: x`.'],
    ['from ```` to `', 'from ````` ```` ````` to `` ` ``'],
    ['20,174 agents, more than 50 (1,007 before)', '20,174 agents, more than 50 (1,007 before)'],
    ['ends 0.88 runs a week', 'ends 0.88 runs a week'],
    ['at 1234567 and 1,23', 'at `1234567` and `1,23`'],
    ['cron `0 0 6 * * *` from a, UTC', 'cron `0 0 6 * * *` from a, UTC'],
    ['fixed in deadbeef', 'fixed in `deadbeef`'],
    ['/close', '`/close`'],
  ])('%j as prose is %j', (text, expected) => expect(markdownProse(text)).toBe(expected));

  it('escapes HTML', () => expect(htmlCode('</code><b>&')).toBe('<code>&lt;/code&gt;&lt;b&gt;&amp;</code>'));

  it('encodes the marker so that it cannot end its HTML comment', () => {
    expect(markdownMarker('plan', 'pricing', 'production')).toBe('<!-- roster:pricing:production -->');
    expect(markdownMarker('plan', 'a--b-', null)).toBe('<!-- roster:a-%2Db%2D: -->');
    expect(markdownMarker('plan', 'x', '--> <b>\n:')).toBe(
      '<!-- roster:x:-%2D%3E%20%3Cb%3E%5Cu%7Ba%7D%3A -->',
    );
  });
});

describe('what a Markdown comment shows of a value', () => {
  const marker = 'HIDDEN-middle';
  const long = `${'x'.repeat(700)}${marker}${'y'.repeat(700)}`;
  const joined = (text: string) => text.replace(/\n *[-+ ] ┊ /g, '');
  const commentOn = (fields: Parameters<typeof change>[1]['fields'], rest = {}) =>
    planMarkdown({
      ...emptyPlan,
      changes: [change('key/a', { action: 'create', fields: fields ?? [], ...rest })],
    });

  it.each(['value', 'set', 'sequence', 'text', 'map', 'whole'] as const)(
    'is never cut in the middle: %s',
    (layout) => {
      const text = commentOn([field('a', { after: [long], layout })]);
      expect(joined(text)).toContain(long);
      expect(text).not.toContain('in full');
    },
  );

  it('is never cut in names, notes, risks and settings', () => {
    const name = long.slice(605, 805);
    const text = planMarkdown({
      ...emptyPlan,
      project: name,
      environment: `env-${name}`,
      service: `https://${name}`,
      findings: [risk(null, { code: 'safeguard', message: `weaker-${name}` })],
      changes: [
        change(`group/${name}`, {
          action: 'delete',
          name: `name-${name}`,
          id: `id-${name}`,
          notes: [`${'note '.repeat(100)}n-${name} ${'note '.repeat(100)}`],
        }),
      ],
    });
    for (const start of ['<sub>project `', 'env-', 'https://', 'weaker-', 'group/', 'name-', 'id-', 'n-'])
      expect(text).toContain(`${start}${name}`);
  });

  it('is counted for a risk of the settings, and for what many changes have in common', () => {
    const message = `${'word '.repeat(300)}HIDDEN ${'word '.repeat(300)}`;
    const setting = planMarkdown({ ...emptyPlan, findings: [risk(null, { code: 'policy', message })] });
    expect(setting).toMatch(/Too long to show in full:\*\* 1 risk of the settings not shown in full\./);
    expect(setting).not.toContain('HIDDEN');
    const changes = ['a', 'b', 'c'].map((name) =>
      change(`group/${name}`, { action: 'delete', notes: [message] }),
    );
    expect(planMarkdown({ ...emptyPlan, changes })).toContain('3 values not shown in full');
  });

  it('is counted if it is not all', () => {
    const after = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const members = Array.from({ length: 100 }, (_, index) => `agent-${index}`);
    const text = commentOn([
      field('description', { after, layout: 'text' }),
      field('members', { after: members, layout: 'set' }),
    ]);
    expect(text).toMatch(
      /Too long to show in full:\*\* 2 values not shown in full\. `roster plan --format json`/,
    );
    expect(text).toMatch(/… \d+ more lines/);
  });

  it('shows where a new key goes before anything else, not folded', () => {
    const script = `vault kv put a ; ${'echo a ; '.repeat(1000)}touch ${marker} ; ${'echo b ; '.repeat(1000)}`;
    const deliver = field('deliver', { after: { command: ['sh', '-c', script] }, layout: 'whole' });
    const deletes = Array.from({ length: 5000 }, (_, index) =>
      change(`group/${index}`, { action: 'delete' }),
    );
    const key = change('key/a', { action: 'create', fields: [deliver] });
    const text = planMarkdown({ ...emptyPlan, changes: [...deletes, key] });
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(joined(text)).toContain(script);
    expect(text).toMatch(/\n {2}\+ {7}"sh",\n {2}\+ {7}"-c",\n/);
    expect(commentOn([deliver])).not.toMatch(/<details>/);
  });

  it('names the key whose delivery does not fit, first of all, and shows nothing less important', () => {
    const command = ['sh', '-c', 'x'.repeat(70_000)];
    const deliver = field('deliver', { after: { command }, layout: 'whole' });
    const changes = [
      change('group/a', { action: 'create', name: 'a' }),
      change('key/a', { action: 'create', fields: [deliver] }),
    ];
    const text = planMarkdown({ ...emptyPlan, changes });
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(text).toContain('Too long to show in full:** destination not shown for 1 new key (`key/a`);');
    expect(text).not.toContain('group/a');
  });
});

describe('the limit of a Markdown comment', () => {
  const many = (action: 'create' | 'delete', number: number) =>
    Array.from({ length: number }, (_, index) =>
      change(`group/${action}-${index}`, {
        action,
        name: `Group ${index}`,
        fields: [field('name', { after: `Group ${index}` })],
      }),
    );

  it('shows every delete with its details before anything else', () => {
    const text = planMarkdown({ ...emptyPlan, changes: [...many('create', 5000), ...many('delete', 100)] });
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    for (let index = 0; index < 100; index += 1) expect(text).toContain(`group/delete-${index}\``);
    expect(text.indexOf('group/delete-99')).toBeLessThan(text.indexOf('group/create-0'));
    expect(text).toContain('- **create** 5,000 groups\n');
    expect(text).toContain('Too long to show in full:** 5,000 changes counted but not listed');
  });

  it('shows nothing else if not all deletes fit', () => {
    const text = planMarkdown({ ...emptyPlan, changes: [...many('create', 10), ...many('delete', 9000)] });
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(text).not.toContain('group/create-');
    expect(text).toContain('10 groups left out (10 to create); 9,000 changes counted but not listed');
    expect(text).toContain('**Plan: 10 to create, 9,000 to delete · 9,000 risks.**');
  });

  it('counts what is left out by kind, and mentions the graph', () => {
    // Each with a field of its own, so that none is like another.
    const unlike = (each: Change, index: number) => ({
      ...each,
      fields: [field(`field${index}`, { after: 1 })],
    });
    const changes = [
      ...many('create', 2000),
      ...Array.from({ length: 500 }, (_, index) => change(`schedule/s-${index}`, { action: 'update' })),
    ].map(unlike);
    const links = [1, 2].map((n) => ({ from: `schedule/s-${n}`, to: 'group/create-1', stage: null }));
    const text = planMarkdown({ ...emptyPlan, changes, links }, { limit: 20_000 });
    expect(text.length).toBeLessThanOrEqual(20_000);
    expect(text).toMatch(
      /\d+ groups left out \([\d,]+ to create\); 500 schedules left out \(500 to update\)/,
    );
    expect(text).toContain('flowchart');
    const deletes = planMarkdown({ ...emptyPlan, changes: [...many('delete', 5000), ...changes], links });
    expect(deletes).toMatch(/2,000 groups left out .*; 500 schedules left out .*; the graph left out/);
  });

  it('holds whatever was recorded, and says how much is left out', () => {
    // Each word becomes code, and so grows.
    const long = (n: number) => `${n} ${'#`1 '.repeat(1000)}`;
    const several = <T>(number: number, make: (n: number) => T) =>
      Array.from({ length: number }, (_, n) => make(n));
    const risks = several(500, (n) => risk(null, { code: 'policy', message: `policy-${n} ${long(n)}` }));
    const refusals = several(50, (n) => refusal('policy', null, long(n), long(n)));
    const diagnostics = several(300, (n) => ({
      severity: 'warning' as const,
      code: 'schema' as const,
      message: long(n),
    }));
    const text = planMarkdown(
      {
        ...emptyPlan,
        project: long(1),
        environment: long(2),
        service: long(3),
        serviceOverride: { setBy: 'ROSTER_URL', declared: long(4) },
        findings: [...risks, ...refusals, ...diagnostics],
        changes: several(50, (n) =>
          change(`group/g-${n}`, { action: 'delete', owners: [`@${'o'.repeat(90)}-${n}`] }),
        ),
      },
      { pageUrl: `https://git.example.com/${'p'.repeat(4000)}` },
    );
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(text).toContain('- `policy-0`');
    expect(text).toMatch(/Too long to show in full:\*\* 4\d\d risks of the settings left out; /);
    expect(text).toContain('group/g-0`');
  });
});
