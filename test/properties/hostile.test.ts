import { describe, expect, it, vi } from 'vitest';
import { kinds } from '../../src/kinds/index.js';
import type { Loaded } from '../../src/manifest/load.js';
import { costOf } from '../support/cost.js';
import { corpus } from '../support/hostile/corpus.js';
import { type Hostile, numbered } from '../support/hostile/hostile.js';
import { type Bytes, complaints } from '../support/hostile/verdict.js';
import { inFolder, loadFrom } from '../unit/manifest/project.js';

// Slow machines run the same cases.
vi.setConfig({ testTimeout: 60_000 });

const all = corpus(42);
const nothing: Loaded = {
  project: null,
  diagnostics: [],
  secrets: [],
  files: [],
  allFiles: false,
  paths: [],
};

/** Reads the project as it would stand in a pull request. */
function read({ files, arrange }: Hostile) {
  return inFolder(files, (folder) => {
    arrange?.(folder);
    return loadFrom(folder, { kinds });
  });
}

function bytesOf({ files }: Hostile): Bytes {
  return new Map(Object.entries(files).map(([file, content]) => [file, Buffer.from(content)]));
}

/** What it takes to read a project of this size that harms nobody. */
const megabyte = numbered((index) => `  group-${index}: { members: [agent-${index}] }\n`, 25_000);
const usual = costOf(() => inFolder({ 'roster.yaml': `project: p\ngroups:\n${megabyte}` }, loadFrom));

const families = [...new Set(all.map(({ family }) => family))];

it('are many, and each has a name of its own', () => {
  expect(all.length).toBeGreaterThan(200);
  const names = all.map(({ family, name }) => `${family}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(families)('%s', (family) => {
  const own = all.filter((each) => each.family === family);
  it.each(own.map((each) => [each.name, each] as const))('%j', (_, hostile) => {
    let loaded = nothing;
    const cost = costOf(() => {
      loaded = read(hostile);
    });
    const codes = loaded.diagnostics.filter((each) => each.severity === 'error').map((each) => each.code);
    const { expected, also = [] } = hostile;
    expect([...new Set(codes)].sort()).toEqual(expected === 'fine' ? [] : [expected, ...also].sort());
    expect(complaints(loaded, bytesOf(hostile))).toEqual([]);
    expect(cost / usual).toBeLessThan(3);
  });
});
