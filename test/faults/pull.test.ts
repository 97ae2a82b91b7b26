import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ClientFault } from '../support/client-faults.js';
import { experiments } from './support/experiments.js';
import { type Fixture, stateOf, withFixture } from './support/fixture.js';
import { callsOf, type FsFault } from './support/fs-faults.js';
import type { Scenario } from './support/scenarios.js';

/** `roster pull` reads the service, writes whole files, and a run after a killed one completes it. */

interface Form {
  readonly name: string;
  readonly words: readonly string[];
  prepare(fixture: Fixture): void;
}

const manifest = `project: faults
include: [teams/*.yaml]
groups:
  kept: { members: [acme-shop] } # ours
`;
const team = `schedules:
  kept: { target: group/kept, every: 6 hours, startTime: 2099-01-01T06:00:00 } # theirs
`;
const scenario: Scenario = {
  name: 'pulled',
  before: `${manifest.replace('include: [teams/*.yaml]\n', '')}${team}`,
  manifest,
};

const imported: Form = { name: 'import', words: ['pull', '--yes'], prepare: () => undefined };
const byTarget: Form = { ...imported, name: 'import by target', words: ['pull', '--yes', '--by', 'target'] };
const writtenBack: Form = {
  name: 'write-back',
  words: ['pull', 'group/kept', 'schedule/kept'],
  prepare({ sandbox: { world } }) {
    for (const group of world.groups.values())
      if (group.name === 'kept') Object.assign(group, { description: 'By hand' });
    const target = [...world.groups.values()].find(({ name }) => name === 'kept')?.id;
    for (const schedule of world.schedules.values())
      if (schedule.targetId === target) Object.assign(schedule, { isEnabled: false });
  },
};
const forms = [imported, byTarget, writtenBack];

function withForm<T>(form: Form, work: (fixture: Fixture) => Promise<T>): Promise<T> {
  return withFixture(scenario, (fixture) => {
    fixture.workspace.write('teams/one.yaml', team);
    form.prepare(fixture);
    return work(fixture);
  });
}

/** All manifests of the project, by path. */
function manifestsOf({ workspace: { root } }: Fixture): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.yaml'),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** What is never complete without `pull`, and what is complete after it. Ids of the fixtures differ, so none is written. */
const results = new Map<string, Promise<{ before: Record<string, string>; after: Record<string, string> }>>();
function resultOf(form: Form) {
  const known =
    results.get(form.name) ??
    withForm(form, async (fixture) => {
      const before = manifestsOf(fixture);
      expect(await fixture.command(...form.words)).toMatchObject({ exit: 0 });
      return { before, after: manifestsOf(fixture) };
    });
  results.set(form.name, known);
  return known;
}

async function expectCompleted(form: Form, fixture: Fixture): Promise<void> {
  const state = stateOf(fixture.sandbox);
  const again = await fixture.command(...form.words);
  expect([again.exit, again.stderr]).toEqual([0, expect.any(String)]);
  expect(manifestsOf(fixture)).toEqual((await resultOf(form)).after);
  expect(stateOf(fixture.sandbox)).toBe(state);
  const { changes } = await fixture.workspace.planJson();
  expect(changes.filter(({ action }) => action !== 'adopt')).toEqual([]);
}

test.each(forms)('without faults, $name leaves a project whose plan adopts at most', async (form) => {
  await withForm(form, async (fixture) => {
    expect(await fixture.command(...form.words)).toMatchObject({ exit: 0 });
    expect(manifestsOf(fixture)).not.toEqual((await resultOf(form)).before);
    await expectCompleted(form, fixture);
  });
});

const kills = forms.flatMap((form) =>
  Array.from({ length: 14 }, (_, index) => index + 1).flatMap((nth) =>
    (['kill-before', 'kill-after'] as const).map((act) => ({ form, kill: { act, nth } as ClientFault })),
  ),
);

experiments(
  'I1',
  'pull: a kill at any request leaves every file as it was, and pulling again writes all of them',
  kills,
  async ({ form, kill }) => {
    await withForm(form, async (fixture) => {
      const { before } = await resultOf(form);
      fixture.inject(kill);
      const { exit, signal } = await fixture.command(...form.words);
      expect([exit, signal]).toSatisfy(() => signal === 'SIGKILL' || exit === 0);
      if (signal === 'SIGKILL') expect(manifestsOf(fixture)).toEqual(before);
      fixture.inject();
      await expectCompleted(form, fixture);
    });
  },
  7,
);

/** More than any of the forms makes. */
const MOST_CALLS = 45;
const writes = forms.flatMap((form) =>
  Array.from({ length: MOST_CALLS }, (_, index) => index + 1).flatMap((nth) =>
    [false, true].map((half) => ({ form, fault: { act: 'kill', nth, half } as FsFault })),
  ),
);

test.each(forms)('$name changes files with fewer calls than are tried', async (form) => {
  await withForm(form, async (fixture) => {
    const calls = await callsOf(fixture.workspace.root, (env) => fixture.processWith(env, ...form.words));
    expect(calls.length).toBeGreaterThan(2);
    expect(calls.length).toBeLessThanOrEqual(MOST_CALLS);
  });
});

experiments(
  'I20',
  'pull: a kill at any call that changes files leaves a valid project of whole files, and pulling again completes it',
  writes,
  async ({ form, fault }) => {
    await withForm(form, async (fixture) => {
      const { before, after } = await resultOf(form);
      fixture.fsFault = fault;
      await fixture.command(...form.words);
      fixture.fsFault = null;
      for (const [name, text] of Object.entries(manifestsOf(fixture)))
        expect([before[name], after[name]], name).toContain(text);
      expect(await fixture.command('validate')).toMatchObject({ exit: 0 });
      await expectCompleted(form, fixture);
    });
  },
  9,
);
