import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { Change, Plan } from '../../src/model/plan.js';
import { diagnosticsGithub } from '../../src/view/ci/diagnostics-github.js';
import { planGithub } from '../../src/view/ci/plan-github.js';
import { escapeControls, quoted } from '../../src/view/escape.js';
import { jsonText } from '../../src/view/json/json-text.js';
import { planJson, reportJson } from '../../src/view/json/plan-json.js';
import { markdownCode, markdownProse } from '../../src/view/markdown/markdown-escape.js';
import { planMarkdown } from '../../src/view/markdown/plan-markdown.js';
import { diagnosticsText } from '../../src/view/text/diagnostics-text.js';
import { planText } from '../../src/view/text/plan-text.js';
import { progressLine, stepLine } from '../../src/view/text/progress.js';
import { reportText } from '../../src/view/text/report-text.js';
import { danger } from '../support/inert.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { nasty } from '../support/nasty.js';
import { change, emptyPlan, field, place } from '../unit/view/samples.js';

// Slow machines run the same number of cases.
vi.setConfig({ testTimeout: 30_000 });

/** Only line breaks of the view itself; nothing that a terminal or a CI runner acts on. */
function expectInert(text: string): void {
  expect(danger(text)).toBeNull();
}

/** A plan in which every text is the given one. */
function planOf(text: string): Plan {
  const rest = { id: text, name: text, notes: [text], origin: 'both', adopted: true } as const;
  const fields = (['value', 'set', 'sequence', 'text', 'map'] as const).flatMap((layout) => [
    field(layout, { before: 'old', after: text, layout, origin: 'remote' }),
    field(text, { before: [text, 'a'], after: ['a', text, `${text}!`], layout }),
    field(layout, { before: { [text]: text }, after: { [text]: [text] }, layout }),
  ]);
  const runs = [{ local: text, utc: text }];
  const changes: Change[] = [
    change('group/a', { ...rest, fields }),
    change('schedule/b', {
      ...rest,
      action: 'create',
      fields,
      nextRuns: {
        before: null,
        after: runs,
        by: 'service',
        timeZone: text,
        pace: { before: null, after: null },
        clockChanges: [{ effect: 'skipped', local: text, times: 2, utc: text }],
      },
    }),
    change(`group/${text}`, {
      ...rest,
      action: 'delete',
      fields,
      nextRuns: {
        before: runs,
        after: [],
        by: 'roster',
        timeZone: text,
        pace: { before: null, after: null },
        clockChanges: [{ effect: 'skipped', local: text, times: 2, utc: text }],
      },
    }),
  ];
  return {
    ...emptyPlan,
    project: text,
    environment: text,
    service: text,
    changes,
    objections: [{ code: 'protected', message: text, help: text, address: null }],
    diagnostics: [diagnosticOf(text)],
  };
}

function diagnosticOf(text: string): Diagnostic {
  const where = place(3, 2, Math.max(1, text.length), text.split(/\r?\n/)[0] ?? '', text);
  return {
    severity: 'error',
    code: 'schema',
    message: text,
    help: text,
    place: where,
    related: [{ message: text, place: where }],
  };
}

/** Workflow commands with escaped properties, and possibly a last line of plain text. */
function expectCommands(text: string): void {
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(::(error|warning|notice) (\w+=[^,:]*,?)*::[^\n]*|[^:]*: `roster plan` shows all of them)$/,
    );
}

function check(property: (text: string) => void, numRuns: number): void {
  fc.assert(fc.property(nasty, property), { numRuns });
}

describe('any text', () => {
  it('is one escaped line in a terminal', () => {
    check((text) => {
      for (const shown of [escapeControls(text), quoted(text)]) {
        expectInert(shown);
        expect(shown).not.toContain('\n');
      }
    }, 2000);
  });

  it('is quoted differently from any other text', () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        expect(quoted(a) === quoted(b)).toBe(a === b);
      }),
      { numRuns: 2000 },
    );
  });

  it('cannot begin a line of a text plan', () => {
    const known =
      /^(Project |Service |Apply would refuse|Digest: |Plan: | {2}(\[protected\]( |$)|[+~-] (create|update|DELETE) )| {12}| {6}|$)/;
    check((text) => {
      const shown = planText(planOf(text), { color: false, width: 60, verbose: true });
      expectInert(shown);
      for (const line of shown.split('\n')) if (!/^ {4}(help:| {2})/.test(line)) expect(line).toMatch(known);
    }, 150);
  });

  it('is escaped in reports, diagnostics, annotations and progress', () => {
    check((text) => {
      const plan = planOf(text);
      const outcomes = plan.changes.map(
        ({ address }) => ({ address, outcome: 'failed', error: text, id: text }) as const,
      );
      expectInert(
        reportText(
          { plan, outcomes, converged: false, interrupted: true, keyEnded: true, diagnostics: [] },
          { color: false },
        ),
      );
      expectInert(diagnosticsText([diagnosticOf(text)], { color: false }));
      expectInert(
        stepLine({ address: `a/${text}`, action: 'update', outcome: 'failed', id: text, error: text }),
      );
      expectInert(progressLine({ done: 0, total: 2, running: [`a/${text}`, `b/${text}`], width: 60 }));
      expectCommands(planGithub(plan));
      const commands = diagnosticsGithub([diagnosticOf(text)]);
      expect(commands.match(/\n/g)).toHaveLength(1);
      expect(commands).toMatch(
        /^::error file=[^,:]*,line=3,endLine=3,col=2,endColumn=\d+,title=roster%3A schema::[^\n]*\n$/,
      );
    }, 150);
  });
});

describe('Markdown', () => {
  it('renders any text as code and plain words only', () => {
    check((text) => {
      expect(withoutCode(markdownCode(text)).trim()).toBe('');
      expect(withoutCode(markdownProse(text))).toMatch(/^[\p{L}\p{N}\s"'’(),.:;!?-]*$/u);
      expect(withoutCode(markdownProse(text))).not.toMatch(/^\s*([-+*>#]|\d+[.)])|[@#/<]/);
    }, 2000);
  });

  it('shows values only inside code in a whole comment', () => {
    check((text) => expectInertMarkdown(planMarkdown(planOf(text)), ''), 100);
  });

  it.each([0, 5_000, 10_000])('stays within the limit with 10,000 changes, %i of them deletes', (deletes) => {
    const value = `@team \`\`\` </details> ${'x'.repeat(40)}`;
    const changes = Array.from({ length: 10_000 }, (_, index) =>
      change(`group/number-${index}`, {
        action: index < deletes ? 'delete' : 'create',
        name: value,
        notes: [value],
        fields: [field('description', { before: 'a\nb', after: `${value}\n`.repeat(20), layout: 'text' })],
      }),
    );
    const text = planMarkdown({ ...emptyPlan, changes, diagnostics: Array(2_000).fill(diagnosticOf(value)) });
    expect(text.length).toBeLessThanOrEqual(65_000);
    expect(text).toContain('left out');
  });

  it('stays within the limit if single texts are huge', () => {
    const text = planMarkdown(planOf('` @a \n'.repeat(20_000)));
    expect(text.length).toBeLessThanOrEqual(65_000);
  });
});

it('JSON output is escaped and reads back as the same value', () => {
  check((text) => {
    const plan = planOf(text);
    const report = {
      plan,
      outcomes: [],
      converged: null,
      interrupted: false,
      keyEnded: false,
      diagnostics: [diagnosticOf(text)],
    };
    for (const value of [planJson(plan), reportJson(report)]) {
      expectInert(jsonText(value));
      expect(JSON.parse(jsonText(value))).toEqual(value);
    }
  }, 150);
});

/** Takes fenced blocks, `code` elements and code spans out, as CommonMark would find them. */
function withoutCode(text: string): string {
  const outside: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const [, run = ''] = /^ *(`{3,})[^`]*$/.exec(line) ?? [];
    if (fence === null && run !== '') fence = run;
    else if (fence === null) outside.push(withoutSpans(line.replace(/<code>.*?<\/code>/g, '')));
    else if (line.trim() === fence) fence = null;
  }
  return outside.join('\n');
}

function withoutSpans(line: string): string {
  const runs = Array.from(line.matchAll(/`+/g), (match) => ({ at: match.index, length: match[0].length }));
  let out = '';
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const open = runs[index];
    const close = runs.findIndex((run, at) => at > index && run.length === open?.length);
    if (open === undefined || close === -1) continue;
    out += line.slice(from, open.at);
    from = (runs[close]?.at ?? 0) + open.length;
    index = close;
  }
  return out + line.slice(from);
}
