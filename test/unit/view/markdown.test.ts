import { describe, expect, it } from 'vitest';
import {
  htmlCode,
  markdownCode,
  markdownMarker,
  markdownProse,
} from '../../../src/view/markdown/markdown-escape.js';
import { markdownLimit, planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
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
    ['fixed in deadbeef', 'fixed in `deadbeef`'],
    ['/close', '`/close`'],
  ])('%j as prose is %j', (text, expected) => expect(markdownProse(text)).toBe(expected));

  it('escapes HTML', () => expect(htmlCode('</code><b>&')).toBe('<code>&lt;/code&gt;&lt;b&gt;&amp;</code>'));

  it('encodes the marker so that it cannot end its HTML comment', () => {
    expect(markdownMarker('pricing', 'production')).toBe('<!-- roster:pricing:production -->');
    expect(markdownMarker('a--b-', null)).toBe('<!-- roster:a-%2Db%2D: -->');
    expect(markdownMarker('x', '--> <b>\n:')).toBe('<!-- roster:x:-%2D%3E%20%3Cb%3E%5Cu%7Ba%7D%3A -->');
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
    expect(text.length).toBeLessThanOrEqual(markdownLimit);
    for (let index = 0; index < 100; index += 1) expect(text).toContain(`group/delete-${index}\``);
    expect(text.indexOf('group/delete-99')).toBeLessThan(text.indexOf('group/create-0'));
    expect(text).toMatch(/Too long to show in full:\*\* \d+ groups left out \(\d+ to create\)/);
  });

  it('shows nothing else if not all deletes fit', () => {
    const text = planMarkdown({ ...emptyPlan, changes: [...many('create', 10), ...many('delete', 9000)] });
    expect(text.length).toBeLessThanOrEqual(markdownLimit);
    expect(text).not.toContain('group/create-');
    expect(text).toMatch(/groups left out \(10 to create, \d+ to delete\)/);
    expect(text).toContain('**Plan: 10 to create, 9000 to delete**');
  });

  it('counts what is left out by kind, and mentions the graph', () => {
    const changes = [
      ...many('create', 2000),
      ...Array.from({ length: 500 }, (_, index) => change(`schedule/s-${index}`, { action: 'update' })),
    ];
    const links = [{ from: 'schedule/s-1', to: 'group/create-1', stage: null }];
    const text = planMarkdown({ ...emptyPlan, changes, links }, { limit: 20_000 });
    expect(text.length).toBeLessThanOrEqual(20_000);
    expect(text).toMatch(/\d+ groups left out \(\d+ to create\); 500 schedules left out \(500 to update\)/);
    expect(text).toContain('flowchart');
    const deletes = planMarkdown({ ...emptyPlan, changes: [...many('delete', 5000), ...changes], links });
    expect(deletes).toMatch(
      /groups left out \(2000 to create, \d+ to delete\); 500 schedules left out .*; the graph left out/,
    );
  });
});
