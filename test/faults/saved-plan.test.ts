import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { experiments } from './support/experiments.js';
import { Fixture } from './support/fixture.js';
import { expectRefused } from './support/reviewing.js';
import { busy } from './support/scenarios.js';

/** I8: apply refuses a plan file that differs from the saved one, and a digest that is not its own. */

/** No case changes the service, so they share one fixture. */
describe('saved plans', async () => {
  const fixture = await Fixture.of(busy);
  const file = join(fixture.workspace.root, 'p.plan');
  afterAll(() => fixture.close());
  const { digest } = await fixture.workspace.planJson({ out: 'p.plan' });
  const saved = readFileSync(file);
  fixture.sandbox.requests.length = 0;

  const refuses = async (text: string | Uint8Array) => {
    writeFileSync(file, text);
    await expectRefused(fixture, { plan: 'p.plan' });
  };

  const places = [...saved.keys()];
  experiments(
    'I8',
    `saved plan: with one bit of each of its ${saved.length} bytes flipped it is refused`,
    places,
    async (place) => {
      const bytes = Buffer.from(saved);
      bytes[place] = (bytes[place] ?? 0) ^ (place % 7 === 0 ? 0x80 : 1 << (place % 7));
      await refuses(bytes);
    },
    100,
  );

  experiments(
    'I8',
    'saved plan: cut off after each of its bytes it is refused',
    places.filter((place) => place % 8 === 0),
    (place) => refuses(saved.subarray(0, place)),
    100,
  );

  const head = [
    'project',
    'environment',
    'service',
    'digest',
    'roster',
    'account',
    'formatVersion',
    'summary',
    'changes',
  ];
  const empties = [null, '', {}, [], 0, undefined];
  experiments(
    'I8',
    'saved plan: with another or an empty identity it is refused',
    head.flatMap((name) => empties.map((value) => ({ name, value }))),
    async ({ name, value }) => {
      const plan = JSON.parse(saved.toString()) as Record<string, unknown>;
      expect(plan).toHaveProperty(name);
      if (JSON.stringify(plan[name]) === JSON.stringify(value)) return;
      await refuses(`${JSON.stringify({ ...plan, [name]: value })}\n`);
    },
  );

  const others: Readonly<Record<string, () => string>> = {
    'an empty file': () => '',
    'an empty object': () => '{}\n',
    'an empty list': () => '[]\n',
    null: () => 'null\n',
    'another version of roster': () => saved.toString().replace(/"roster":"[^"]*"/, '"roster":"9.9.9"'),
    'a byte order mark': () => `\ufeff${saved}`,
    'no newline': () => saved.toString().trimEnd(),
    'a second newline': () => `${saved}\n`,
    CRLF: () => saved.toString().replace('\n', '\r\n'),
    'the same JSON in another layout': () => JSON.stringify(JSON.parse(saved.toString()), null, 2),
    'two copies': () => `${saved}${saved}`,
    'only the digest': () => digest,
  };
  experiments('I8', 'saved plan: another file in its place is refused', Object.keys(others), (name) =>
    refuses(others[name]?.() ?? ''),
  );

  const digests: Readonly<Record<string, () => string>> = {
    empty: () => '',
    'of another plan': () => `sha256:${'0'.repeat(64)}`,
    truncated: () => digest.slice(0, 20),
    'without sha256:': () => digest.slice(7),
    'in capitals': () => digest.toUpperCase(),
    'with a space': () => `${digest} `,
    'without a hash': () => 'sha256:',
  };
  experiments('I8', 'expected digest: another digest is refused', Object.keys(digests), (name) =>
    expectRefused(
      fixture,
      { expect: digests[name]?.() ?? '' },
      name === 'of another plan' ? 'stale-plan' : 'usage',
    ),
  );
  experiments(
    'I8',
    'expected digest: a digest with one changed character is refused',
    [...Array(71).keys()],
    (place) => {
      const changed = digest[place] === 'a' ? 'b' : 'a';
      const expect = digest.slice(0, place) + changed + digest.slice(place + 1);
      return expectRefused(fixture, { expect }, place < 'sha256:'.length ? 'usage' : 'stale-plan');
    },
  );

  experiments(
    'I8',
    'saved plan: a path that is not a file is refused',
    ['missing', 'folder'],
    async (what) => {
      const flags = { plan: what === 'missing' ? 'other.plan' : '.' };
      await expectRefused(fixture, flags, 'unreadable-file');
    },
    1,
  );
});
