import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { loadProject } from '../../../src/manifest/load.js';

const cwd = mkdtempSync(join(tmpdir(), 'roster-oracles-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function load(manifest: object, env: Record<string, string>) {
  writeFileSync(join(cwd, 'roster.yaml'), JSON.stringify({ project: 'p', ...manifest }));
  const { project, diagnostics } = loadProject({ cwd, env, kinds, environment: null });
  return { project, codes: diagnostics.map(({ code, message }) => `${code}: ${message}`) };
}

const timing = { target: 'agent/acme', every: '1 day', startTime: '2099-12-01T06:00:00' };

describe('what is refused does not depend on a value from the environment', () => {
  test('a schedule with a guess is not a duplicate of the one with the value', () => {
    const guesses = ['1230', '1231', '1232', '${env.TOKEN}'].map((t, index) => [
      `b${index}`,
      { ...timing, inputs: { t } },
    ]);
    const literal = { ...timing, inputs: { t: '$${env.TOKEN}' } };
    const codes = (again: object) =>
      load({ schedules: { ...Object.fromEntries(guesses), literal, ...again } }, { TOKEN: '1231' }).codes;
    expect(codes({})).toEqual([]);
    expect(codes({ again: { ...timing, inputs: { t: '${env.TOKEN}' } } })).toEqual([
      expect.stringContaining('duplicate-name'),
    ]);
    expect(codes({ again: { ...timing, inputs: { t: '1230' } } })).toHaveLength(1);
  });

  test('the length of a value does not decide whether a description is valid', () => {
    const codes = (length: number, before: number) => {
      const description = `${'x'.repeat(before)}\${env.TOKEN}`;
      return load({ groups: { g: { members: [], description } } }, { TOKEN: 's'.repeat(length) }).codes;
    };
    for (const before of [9_960, 9_988, 9_989, 9_999, 10_000])
      expect(codes(1, before)).toEqual(codes(5_000, before));
    expect(codes(1, 9_988)).toEqual([]);
    expect(codes(1, 9_989)).toHaveLength(1);
  });

  test('the length of a value does not decide whether an input is valid, also through variables', () => {
    const codes = (length: number, before: number) => {
      const vars = { long: `${'x'.repeat(before)}\${env.TOKEN}` };
      const inputs = { a: `${'x'.repeat(before)}\${env.TOKEN}`, b: '${var.long}', c: '-${var.long}' };
      return load({ vars, schedules: { s: { ...timing, inputs } } }, { TOKEN: 's'.repeat(length) }).codes;
    };
    for (const before of [65_400, 65_524, 65_525, 65_526, 65_530])
      expect(codes(1, before)).toEqual(codes(250, before));
  });

  test('only a value of more than 65,536 characters is too long', () => {
    const codes = (length: number) =>
      load({ groups: { g: { members: [], description: '${env.TOKEN}' } } }, { TOKEN: 's'.repeat(length) })
        .codes;
    expect(codes(65_536)).toEqual([]);
    expect(codes(65_537)).toEqual([
      expect.stringContaining('limit-exceeded: the environment variable TOKEN'),
    ]);
  });

  test('long values that are used many times are refused', () => {
    const inputs = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`i${index}`, '${env.TOKEN}']),
    );
    const schedules = { s: { ...timing, inputs } };
    expect(load({ schedules }, { TOKEN: 's'.repeat(65_536) }).codes[0]).toContain('limit-exceeded');
    expect(load({ schedules }, { TOKEN: 's'.repeat(40) }).codes).toEqual([]);
  });
});

describe('a value that a manifest writes out is not masked where the service quotes it', () => {
  const secret = 'Zq7-guessed-word';
  const spellings = [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`x${secret}y`).toString('base64'),
    encodeURIComponent(secret),
  ];
  const user = { members: [], description: 'of ${env.TOKEN}' };

  test.each(spellings)('as %s', (guess) => {
    const written = [
      { groups: { user, other: { members: [], name: `a ${guess}` } } },
      {
        vars: { a: guess.slice(0, 5), b: guess.slice(5) },
        groups: { user, o: { members: [], name: '${var.a}${var.b}' } },
      },
    ];
    for (const manifest of written) expect(load(manifest, { TOKEN: secret }).project?.secrets).toEqual([]);
  });

  test('any other value is masked', () => {
    expect(load({ groups: { user } }, { TOKEN: secret }).project?.secrets).toEqual([secret]);
  });
});
