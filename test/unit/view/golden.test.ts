import { describe, expect, it } from 'vitest';
import { diagnosticsGithub } from '../../../src/view/ci/github.js';
import { sarif } from '../../../src/view/ci/sarif.js';
import { jsonText } from '../../../src/view/json/diagnostics-json.js';
import { planGitlab, planJson, reportJson, validateJson } from '../../../src/view/json/plan-json.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { diagnosticsText } from '../../../src/view/text/diagnostics-text.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { reportText } from '../../../src/view/text/report-text.js';
import { expectGolden } from './golden.js';
import { completeReport, diagnostics, emptyPlan, plan, report, sarifRun } from './samples.js';

const layouts = [
  { name: 'plain-80', color: false, width: 80 },
  { name: 'plain-120', color: false, width: 120 },
  { name: 'color-80', color: true, width: 80 },
] as const;

describe.each(layouts)('text output, $name', ({ name, ...options }) => {
  it('shows a plan', () => expectGolden(`plan-${name}.txt`, planText(plan, { ...options, verbose: false })));
  it('shows a report', () => expectGolden(`report-${name}.txt`, reportText(report, options)));
  it('shows diagnostics', () =>
    expectGolden(`diagnostics-${name}.txt`, diagnosticsText(diagnostics, options)));
});

it('text output shows warnings before errors with --verbose', () => {
  expectGolden('diagnostics-verbose.txt', diagnosticsText(diagnostics, { color: false, verbose: true }));
});

it('text output shows a summary of a plan', () => {
  expectGolden('plan-summary.txt', planText(plan, { color: false, summary: true }));
  expectGolden('plan-summary-color.txt', planText(plan, { color: true, width: 120, summary: true }));
});

it('text output shows the requests of a plan with --verbose', () => {
  expectGolden('plan-verbose.txt', planText(plan, { color: false, verbose: true }));
});

it('text output shows an empty plan', () =>
  expectGolden('plan-empty.txt', planText(emptyPlan, { color: false })));

it('text output shows a complete report', () =>
  expectGolden('report-complete.txt', reportText(completeReport, { color: false })));

it('a plan is written as Markdown', () => {
  expectGolden('plan.md', planMarkdown(plan));
  expectGolden('plan-empty.md', planMarkdown(emptyPlan));
});

it('plans, reports and diagnostics are written as JSON', () => {
  expectGolden('plan.json.txt', jsonText(planJson(plan)));
  expectGolden('report.json.txt', jsonText(reportJson(report)));
  expectGolden('validate.json.txt', jsonText(validateJson(diagnostics)));
  expectGolden('sarif.json.txt', jsonText(sarif(diagnostics, sarifRun)));
});

it('diagnostics are written as workflow commands', () =>
  expectGolden('diagnostics-github.txt', diagnosticsGithub(diagnostics)));

it('the GitLab report counts a replace as a create and a delete', () =>
  expect(planGitlab(plan)).toEqual({ create: 2, update: 3, delete: 2 }));
