import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/index.js';
import type { Loaded } from '../../src/manifest/load.js';
import { stepsOf } from '../support/cost.js';
import { corpus } from '../support/hostile/corpus.js';
import { type Hostile, numbered } from '../support/hostile/hostile.js';
import { type Bytes, complaints } from '../support/hostile/verdict.js';
import { isLong, sampleOf } from '../support/size.js';
import { inFolder, loadFrom } from '../unit/manifest/project.js';

const all = corpus(42);

/** Reads the project as a pull request would contain it. */
function read({ files, arrange }: Hostile): Loaded {
  return inFolder(files, (folder) => {
    arrange?.(folder);
    return loadFrom(folder, { kinds });
  });
}

function bytesOf({ files }: Hostile): Bytes {
  return new Map(Object.entries(files).map(([file, content]) => [file, Buffer.from(content)]));
}

function bytesIn(hostile: Hostile): number {
  return [...bytesOf(hostile).values()].reduce((sum, { length }) => sum + length, 0);
}

it('there are more than 200 hostile projects, each with its own name', () => {
  expect(all.length).toBeGreaterThan(200);
  const names = all.map(({ family, name }) => `${family}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

const cases = sampleOf(all, 20).map((each) => [`${each.family}: ${each.name}`, each] as const);

it.each(cases)('a hostile project is read and reported correctly: %s', (_, hostile) => {
  const loaded = read(hostile);
  const codes = loaded.diagnostics.filter((each) => each.severity === 'error').map((each) => each.code);
  const { expected, also = [] } = hostile;
  expect([...new Set(codes)].sort()).toEqual(expected === 'fine' ? [] : [expected, ...also].sort());
  expect(complaints(loaded, bytesOf(hostile))).toEqual([]);
});

/** In `npm test`, test/unit/manifest/load.test.ts says the same of ordinary projects. */
describe.runIf(isLong)('a hostile project is read in few steps', () => {
  const megabyte = numbered((index) => `  group-${index}: { members: [agent-${index}] }\n`, 25_000);
  const stepsFor = (hostile: Hostile) => stepsOf(() => read(hostile));
  let usual = 0;
  beforeAll(() => {
    const files = { 'roster.yaml': `project: p\ngroups:\n${megabyte}` };
    const project: Hostile = { family: '', name: '', files, expected: 'fine' };
    // What V8 has compiled before is not counted: the higher count is the better one.
    usual = Math.max(stepsFor(project), stepsFor(project));
  });

  // Counting makes everything slow. `npm run bench` has the limits in seconds and megabytes.
  it.each(cases.filter((_, index) => index % 20 === 0))('%s', (_, hostile) => {
    // Files of up to 64 MiB are read: their size alone may cost more.
    const sixteenMegabytes = 16 * 1024 * 1024;
    expect(stepsFor(hostile) / usual).toBeLessThan(3 + bytesIn(hostile) / sixteenMegabytes);
  });
});
