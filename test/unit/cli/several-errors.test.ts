import { describe, expect, test } from 'vitest';
import { exitCodeFor } from '../../../src/cli/command/exit.js';
import type { DiagnosticCode } from '../../../src/model/diagnostic.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

describe('the exit code of several errors', () => {
  test.each<[readonly DiagnosticCode[], number]>([
    [[], 0],
    [['data-unavailable'], 5],
    [['data-unavailable', 'data-unavailable'], 5],
    [['data-unavailable', 'service-error'], 1],
    [['service-error', 'data-unavailable'], 1],
    [['protected', 'too-many-deletes'], 4],
    [['protected', 'service-error'], 1],
    [['service-error', 'protected'], 1],
    [['data-unavailable', 'protected'], 1],
    [['protected', 'interrupted'], 130],
    [['service-error', 'interrupted'], 130],
  ])('%j is %i', (codes, expected) => {
    expect(exitCodeFor(codes.map((code) => ({ severity: 'error', code, message: '' })))).toBe(expected);
  });

  test.each<[readonly DiagnosticCode[], number]>([
    [[], 0],
    [['protected'], 3],
    [['service-error'], 3],
    [['data-unavailable'], 5],
    [['interrupted'], 130],
  ])('%j is %i when something may have been changed', (codes, expected) => {
    const errors = codes.map((code) => ({ severity: 'error', code, message: '' }) as const);
    expect(exitCodeFor(errors, true)).toBe(expected);
  });

  test('warnings do not count', () => {
    const warning = { severity: 'warning', code: 'service-error', message: '' } as const;
    expect(exitCodeFor([warning])).toBe(0);
    expect(exitCodeFor([warning, { severity: 'error', code: 'protected', message: '' }])).toBe(4);
  });
});

describe('plan --detailed-exitcode', () => {
  const group = (name: string, more: object = {}) => ({ [name]: { members: ['acme-shop'], ...more } });
  const manifest = (groups: object) => JSON.stringify({ project: 'p', groups });

  test('is 0 without changes, 2 with changes, and 4 for a plan that apply would refuse', async () => {
    const sandbox = await startSandbox();
    const workspace = new Workspace({}, sandbox);
    const codes = async (groups: object) => {
      workspace.write('roster.yaml', manifest(groups));
      const [plain, detailed] = [await workspace.plan(), await workspace.plan({ detailedExitcode: true })];
      return [plain.exit, detailed.exit];
    };
    const both = { ...group('a', { protect: true }), ...group('b') };
    expect(await codes(both)).toEqual([0, 2]);
    expect((await workspace.apply()).exit).toBe(0);
    expect(await codes(both)).toEqual([0, 0]);
    expect(await codes(group('b'))).toEqual([4, 4]);
  });
});
