import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isDiagnostic } from '../../../src/model/finding.js';
import { failureJson, jsonText } from '../../../src/view/json/diagnostics-json.js';
import { planJson, reportJson, validateJson } from '../../../src/view/json/plan-json.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { change, completeReport, diagnostics, emptyPlan, field, plan, report } from './samples.js';

function validator(name: string) {
  const path = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
  return new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(path, 'utf8')),
  );
}

function errorsOf(name: string, value: unknown) {
  const validate = validator(name);
  validate(JSON.parse(jsonText(value)));
  return validate.errors ?? [];
}

describe('the published JSON Schemas accept', () => {
  it('plans', () => {
    expect(errorsOf('plan', planJson(plan))).toEqual([]);
    expect(errorsOf('plan', planJson({ ...emptyPlan, findings: diagnostics }))).toEqual([]);
  });
  it('reports', () => {
    expect(errorsOf('report', reportJson(report))).toEqual([]);
    expect(errorsOf('report', reportJson(completeReport))).toEqual([]);
  });
  it('inventories', () => {
    const entry = {
      kind: 'group',
      id: null,
      name: 'A',
      protect: false,
      applied: { members: ['x'] },
      sensitive: [],
    };
    const draft = { kind: 'group', name: 'B', identity: 'B' };
    const inventory = {
      version: 1,
      project: 'pricing',
      environment: null,
      entries: { 'group/a': entry },
      drafts: { 'group/b': draft },
    };
    expect(errorsOf('inventory', inventory)).toEqual([]);
    const hold = { by: 'Anna', reason: 'incident 42', since: '2026-12-01T03:00:00.000Z', until: null };
    const held = { ...inventory, version: 2, entries: { 'group/a': { ...entry, hold } } };
    expect(errorsOf('inventory', held)).toEqual([]);
    expect(errorsOf('inventory', { ...inventory, version: 9 })).not.toEqual([]);
  });
});

it('the JSON report says why each change failed, once', () => {
  const { error = '' } = report.outcomes.find(({ address }) => address === 'group/news') ?? {};
  const reasonsAfter = (message: string) => {
    const said = { severity: 'error', code: 'service-error', message } as const;
    const { diagnostics: all } = reportJson({ ...report, diagnostics: [said] });
    return all.filter((each) => each.message.startsWith('group/news: ')).length;
  };
  expect(reasonsAfter('group/news-2 could not be created')).toBe(1);
  expect(reasonsAfter('cannot create group/news.')).toBe(0);
  expect(reasonsAfter(error ?? '')).toBe(0);
});

it('the JSON plan lists no change with the action none', () => {
  expect(planJson(plan).changes).toHaveLength(8);
  expect(planJson(emptyPlan).changes).toEqual([]);
});

it('the JSON plan begins as the text does: moved keys, large numbers and risks', () => {
  const moved = change('group/new', { action: 'adopt', renamedFrom: 'group/old' });
  const created = Array.from({ length: 1_200 }, (_, index) =>
    change(`group/g${index}`, { action: 'create' }),
  );
  const gone = change('group/gone', { action: 'delete' });
  const changed = { ...emptyPlan, changes: [moved, gone, ...created] };
  expect(planJson(changed).verdict).toBe('1,200 to create, 1 to delete, 1 moved · 1 risk');
  for (const each of [changed, plan, emptyPlan])
    expect(planText(each, { color: false, width: 200 }).split('\n')).toContain(planJson(each).verdict);
});

it('the JSON plan shows unknown ids as {id}', () => {
  const pipeline = planJson(plan).changes.find((each) => each.kind === 'pipeline');
  expect(pipeline?.calls).toEqual([{ method: 'PUT', path: '/api/pipelines/{id}/steps' }]);
});

it('the JSON plan marks fields with values from the environment', () => {
  const fields = [field('inputs', { before: '(sensitive)', after: '${env.B}', sensitive: true })];
  const [only] = planJson({ ...plan, changes: [change('group/a', { fields })] }).changes;
  expect(only?.fields).toEqual([
    { path: 'inputs', before: '(sensitive)', after: '${env.B}', sensitive: true },
  ]);
});

it('the JSON report lists refusals as errors, and each diagnostic once', () => {
  expect(planJson(plan).diagnostics.map(({ severity, code }) => [severity, code])).toEqual([
    ['warning', 'start-rate'],
    ['error', 'not-allowed'],
  ]);
  const repeated = reportJson({ ...completeReport, diagnostics: plan.findings.filter(isDiagnostic) });
  expect(repeated.diagnostics).toHaveLength(2);
});

it('the JSON report is converged only if nothing is known to be left', () => {
  expect(reportJson(completeReport).converged).toBe(true);
  expect(reportJson({ ...completeReport, converged: null }).converged).toBe(true);
  expect(reportJson(report).converged).toBe(false);
});

it('validate and failures have JSON shapes of their own', () => {
  expect(validateJson([])).toEqual({ formatVersion: 1, valid: true, diagnostics: [] });
  expect(validateJson(diagnostics).valid).toBe(false);
  expect(failureJson(diagnostics.slice(-1)).diagnostics).toEqual([
    {
      severity: 'error',
      code: 'missing-setting',
      message: 'no API key',
      file: null,
      line: null,
      column: null,
      help: 'Set `ROSTER_API_KEY`.',
    },
  ]);
});
