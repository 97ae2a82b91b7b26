import { describe, expect, it } from 'vitest';
import type { Diagnostic, Severity } from '../../../src/model/diagnostic.js';
import { type Finding, refusal } from '../../../src/model/finding.js';
import { diagnosticsGithub } from '../../../src/view/ci/github.js';
import { sarif } from '../../../src/view/ci/sarif.js';
import { planJson } from '../../../src/view/json/plan-json.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { countLine, diagnosticsText } from '../../../src/view/text/diagnostics-text.js';
import { validator } from '../schemas/schemas.js';
import { emptyPlan, place, sarifRun } from './samples.js';

const problem = (severity: Severity): Diagnostic => ({ severity, code: 'stale-checkout', message: 'words' });
const [error, warning, note] = [problem('error'), problem('warning'), problem('info')];
const plain = { color: false, width: 80 };

describe('a diagnostic for information', () => {
  it('is a note in text, before the warnings, and is counted after them', () => {
    const text = diagnosticsText([warning, note], plain);
    expect(text.match(/^\w+\[stale-checkout\]: words$/gm)).toEqual([
      'note[stale-checkout]: words',
      'warning[stale-checkout]: words',
    ]);
    expect(text).toMatch(/\n1 warning, 1 note\n$/);
  });

  it('is quieter than a warning in color', () => {
    const text = diagnosticsText([note], { color: true });
    expect(text).toContain('\u001b[90mnote[stale-checkout]\u001b[39m: words');
  });

  it.each([
    [[error, note], '1 error. 1 note is not shown; `-v` shows it.'],
    [[error, note, note], '1 error. 2 notes are not shown; `-v` shows them.'],
    [[error, warning, note], '1 error. 1 warning and 1 note are not shown; `-v` shows them.'],
  ])('is only counted while there are errors (%#)', (list, last) => {
    const text = diagnosticsText(list, plain);
    expect(text).not.toContain('note[');
    expect(text).toContain(`\n${last}\nLearn more: `);
  });

  it('is counted last', () =>
    expect(countLine([note, warning, error, note])).toBe('1 error, 1 warning, 2 notes'));

  it('is `info` in JSON, and the published schemas accept it', () => {
    const json = planJson({ ...emptyPlan, findings: [note] });
    expect(json.diagnostics.map(({ severity }) => severity)).toEqual(['info']);
    const fits = validator('plan.schema.json');
    expect(fits(json) || fits.errors).toBe(true);
  });

  it('is a note in SARIF, with and without a place', () => {
    const [{ results, invocations }] = sarif([note, { ...note, place: place(1, 1, 1, 'a') }], sarifRun).runs;
    const levels = [...results, ...invocations[0].toolConfigurationNotifications].map(({ level }) => level);
    expect([levels, invocations[0].executionSuccessful]).toEqual([['note', 'note'], true]);
  });

  it('is a notice on GitHub', () =>
    expect(diagnosticsGithub([note])).toBe('::notice title=roster%3A stale-checkout::words\n'));
});

describe('notes in a Markdown comment', () => {
  const commentOn = (findings: readonly Finding[]) => planMarkdown({ ...emptyPlan, findings });
  const refused = refusal('protected', null, 'words', '');

  it('are listed with the warnings', () => {
    const comment = commentOn([warning, note]);
    expect(comment).toContain(
      '### Warnings and notes\n\n- **warning** `stale-checkout`: words\n- **note** `stale-checkout`: words',
    );
  });

  it('have a heading of their own if there are no warnings', () =>
    expect(commentOn([note])).toContain('### Notes\n\n- **note** `stale-checkout`: words'));

  it('are collapsed with the warnings while apply would refuse the plan', () =>
    expect(commentOn([refused, warning, note])).toContain('<summary>1 warning, 1 note</summary>'));

  it('leave room for the warnings, and are counted if they do not fit', () => {
    const many = Array.from({ length: 40 }, () => ({ ...note, message: 'long words '.repeat(40) }));
    const comment = commentOn([...many, warning]);
    expect(comment).toContain('- **warning** `stale-checkout`: words');
    expect(comment).toMatch(/Too long to show in full:\*\* \d+ notes left out/);
  });
});
