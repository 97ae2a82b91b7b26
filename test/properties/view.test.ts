import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { refusal } from '../../src/model/finding.js';
import type { Change, Plan } from '../../src/model/plan.js';
import { diagnosticsGithub, planGithub } from '../../src/view/ci/github.js';
import { escapeControls, quoted } from '../../src/view/escape.js';
import { jsonText } from '../../src/view/json/diagnostics-json.js';
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
import { many, runs } from '../support/size.js';
import { change, emptyPlan, field, place } from '../unit/view/samples.js';

/** Contains no line breaks but our own, and nothing that a terminal or a CI runner obeys. */
function expectInert(text: string): void {
  expect(danger(text)).toBeNull();
}

/** A plan in which every text is the given one. */
function planOf(text: string): Plan {
  const rest = { id: text, name: text, notes: [text], origin: 'both', adopted: true } as const;
  const fields = (['value', 'set', 'sequence', 'text', 'map', 'whole'] as const).flatMap((layout) => [
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
        computed: runs,
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
        computed: null,
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
    findings: [refusal('protected', null, text, text), diagnosticOf(text)],
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

/** Only our own commands, with escaped properties, and a last line that is not a command. */
function expectCommands(text: string): void {
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(::(error|warning|notice) (\w+=[^,:]*,?)*::[^\n]*|[^:]*: `roster plan` shows all of them)$/,
    );
}

function check(property: (text: string) => void, sample: number, full: number): void {
  fc.assert(fc.property(nasty, property), { numRuns: runs(sample, full) });
}

describe('text', () => {
  it('any escaped text is one line that a terminal does not obey', () => {
    check(
      (text) => {
        for (const shown of [escapeControls(text), quoted(text)]) {
          expectInert(shown);
          expect(shown).not.toContain('\n');
        }
      },
      100,
      2000,
    );
  });

  it('two texts look the same when quoted only if they are the same', () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        expect(quoted(a) === quoted(b)).toBe(a === b);
      }),
      { numRuns: runs(25, 2000) },
    );
  });

  it('no text in a text plan can look like another part of the plan', () => {
    const known =
      /^([\d a-z,]+ · \d+ risks?$|Apply would refuse|RISKS$|OTHER CHANGES$|CHANGES$|STARTS A WEEK |Project |Service |Inventory |Environment |Digest: |Not managed here: 2 schedules, 1 key \(roster list --unmanaged\)\.$|Plan: | {2}(\[protected\]( |$)|[+~-] (CREATE|UPDATE|DELETE|create|update) )| {12}| {6}|$)/;
    check(
      (text) => {
        const shown = planText(planOf(text), { color: false, width: 60, verbose: true });
        expectInert(shown);
        for (const line of shown.split('\n'))
          if (!/^ {4}(help:| {2})/.test(line)) expect(line).toMatch(known);
      },
      10,
      150,
    );
  });

  it('any text is inert in reports, diagnostics, annotations and progress', () => {
    check(
      (text) => {
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
      },
      10,
      150,
    );
  });
});

describe('Markdown', () => {
  it('any text becomes code or plain words in Markdown', () => {
    check(
      (text) => {
        expect(withoutCode(markdownCode(text)).trim()).toBe('');
        expect(withoutCode(markdownProse(text))).toMatch(/^[\p{L}\p{N}\s"'’(),.:;!?-]*$/u);
        expect(withoutCode(markdownProse(text))).not.toMatch(/^\s*([-+*>#]|\d+[.)])|[@#/<]/);
      },
      100,
      2000,
    );
  });

  it('a Markdown comment shows no value outside code', () => {
    check((text) => expectInertMarkdown(planMarkdown(planOf(text)), ''), 5, 100);
  });

  it.each([0, 0.5, 1])(
    'a Markdown comment stays within the limit with very many changes, a share of %f of them deletes',
    (share) => {
      const count = many(600, 10_000);
      const value = `@team \`\`\` </details> ${'x'.repeat(40)}`;
      const changes = Array.from({ length: count }, (_, index) =>
        change(`group/number-${index}`, {
          action: index < share * count ? 'delete' : 'create',
          name: value,
          notes: [value],
          fields: [field('description', { before: 'a\nb', after: `${value}\n`.repeat(20), layout: 'text' })],
        }),
      );
      const text = planMarkdown({
        ...emptyPlan,
        changes,
        findings: Array(many(400, 2_000)).fill(diagnosticOf(value)),
      });
      expect(text.length).toBeLessThanOrEqual(65_000);
      // More errors than a rehearsal can have are counted where they are.
      expect(text).toMatch(/left out|> - … and [\d,]+ more/);
    },
  );

  it('a Markdown comment stays within the limit when single texts are huge', () => {
    const text = planMarkdown(planOf('` @a \n'.repeat(many(5_000, 20_000))));
    expect(text.length).toBeLessThanOrEqual(65_000);
  });
});

it('any plan or report in JSON reads back as the same value and is inert', () => {
  check(
    (text) => {
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
    },
    10,
    150,
  );
});

/** Removes fenced blocks, `code` elements and code spans, as CommonMark defines them. */
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
