import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../../src/model/json.js';
import { sampleOf } from '../../support/size.js';
import { pathsOf, put, whole } from './whole.js';

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;
/** They are generated, and have no types. */
const validators = async (name: string): Promise<Checks> =>
  import(`../../../src/manifest/generated/${name}.js`);
const full = await validators('failures');
const each = Object.keys(full).map((name) => validators(`quick-${name}`));
const brief: Checks = Object.assign({}, ...(await Promise.all(each)));

const odd: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 1e9, '', 'x', ' x', 'a\nb', '\ud800', 'svc_live_0123456789abcdef'],
  ...[[], ['x', 'x'], [null], {}, { x: 1 }, { constructor: 1 }, '${var.x}', '${env.X}', '$${', '${x}'],
];

/** Each manifest, and each with one value replaced by an odd one, or without it. */
function* manifests(): Generator<unknown> {
  for (const manifest of whole) {
    yield manifest;
    for (const path of sampleOf(pathsOf(manifest), 40))
      for (const value of odd) yield put(manifest, path, value);
  }
}

/** Every value of a manifest with the names of the validators that may be asked about it. */
function* asked(manifest: unknown): Generator<readonly [name: string, value: unknown]> {
  if (!isJsonObject(manifest as Json)) return;
  for (const [name, section] of Object.entries(manifest as Record<string, unknown>)) {
    if (Object.hasOwn(brief, name)) yield [name, section];
    if (!isJsonObject(section as Json)) continue;
    for (const entry of Object.values(section as object)) yield [name, entry];
  }
  yield ['settings', manifest];
}

test('the validators that only say whether a value is valid agree with those that list what is wrong', () => {
  const verdicts = { valid: 0, invalid: 0 };
  for (const manifest of manifests())
    for (const [name, value] of asked(manifest)) {
      const [check, list] = [brief[name], full[name]];
      if (check === undefined || list === undefined) continue;
      const isValid = list(value);
      expect([name, value, check(value)]).toEqual([name, value, isValid]);
      verdicts[isValid ? 'valid' : 'invalid'] += 1;
    }
  expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(100);
});
