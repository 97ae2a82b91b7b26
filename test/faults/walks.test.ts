import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { isAll, runs } from '../support/size.js';
import {
  type Edit,
  type Mistake,
  manifestsOf,
  type WalkState,
  type WalkStep,
  walk,
} from '../support/walks.js';
import { tally } from './support/experiments.js';

/** Law 7, I36: a walk ends where the last accepted state says, and a refused state changes nothing. */

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const WALKS = isAll ? 2_000 : runs(8, 200);

/** Of walks with a state that was accepted: only they say where they end. */
let ended = 0;

/** What a person made by hand: its name is not one that a manifest uses. */
const isForeign = ({ name }: { readonly name: string }) => name.startsWith('By hand ');

class Walk {
  readonly workspace = new Workspace({}, sandbox);
  private readonly states: WalkState[] = [];
  private accepted: WalkState | null = null;
  /** Foreign groups that nobody has deleted: ids. */
  private readonly foreign = new Set<string>();

  constructor() {
    this.workspace.sleep = () => new Promise((done) => setImmediate(done));
    sandbox.world.groups.clear();
    sandbox.world.schedules.clear();
    sandbox.requests.length = 0;
  }

  async take(step: WalkStep): Promise<void> {
    if (step.kind === 'edit') return this.edit(step.edit, step.pick);
    if (step.kind === 'mistake') return this.refused(step.state, step.mistake);
    const state = step.kind === 'state' ? step.state : this.states.at(-1 - step.back);
    if (state !== undefined) await this.want(state);
  }

  /** A valid state may be refused as well, for example because it deletes what is protected. */
  private async want(state: WalkState): Promise<void> {
    this.states.push(state);
    this.write(manifestsOf(state));
    const before = this.look();
    const { exit, stderr } = await this.workspace.apply({ allowAccountChange: true, allowEmpty: true });
    if (exit === 0) return this.accept(state);
    // `prune: never` may have left two objects of the declared name: which of them is meant, only a person knows.
    const isAmbiguous = stderr.includes('error[ambiguous-name]');
    expect([exit, stderr]).toEqual([isAmbiguous ? 1 : 4, expect.anything()]);
    expect(this.look()).toBe(before);
  }

  private accept(state: WalkState): void {
    this.accepted = state;
    if (state.prune === 'all') this.foreign.clear();
  }

  private async refused(state: WalkState, mistake: Mistake): Promise<void> {
    this.write(manifestsOf(state, mistake));
    const before = this.look();
    // An inventory of which nothing is visible would be refused before the agents of a mistake are looked up.
    const { exit } = await this.workspace.apply({ allowAccountChange: true });
    if (mistake === 'no-deletes' && exit === 0) return this.accept(state);
    expect(exit).toBe(mistake === 'no-deletes' || mistake === 'empty' ? 4 : 1);
    expect(this.look()).toBe(before);
  }

  /** All that an apply can change, and whether it has tried to. */
  private look(): string {
    const { groups, schedules } = sandbox.world;
    const path = join(this.workspace.root, 'roster.inventory.json');
    const inventory = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const isWrite = ({ method, path: to }: { readonly method: string; readonly path: string }) =>
      method !== 'GET' && !to.includes('preview');
    const writes = sandbox.requests.filter(isWrite).length;
    return JSON.stringify([[...groups], [...schedules], inventory, writes]);
  }

  private edit(edit: Edit, pick: number): void {
    const { groups, schedules } = sandbox.world;
    const group = [...groups.values()][pick % Math.max(1, groups.size)];
    const schedule = [...schedules.values()][pick % Math.max(1, schedules.size)];
    const [agent = ''] = sandbox.world.agents.keys();
    switch (edit) {
      case 'create': {
        const id = `00000000-0000-4000-8000-${String(groups.size + 1000 * this.states.length + pick).padStart(12, '0')}`;
        const settings = { description: '', isActive: true, agentIds: [agent], canManage: true };
        const never = { activeRunCount: 0, lastRunStatus: null, lastRunAt: null };
        groups.set(id, { id, name: `By hand ${id}`, ...settings, ...never });
        this.foreign.add(id);
        return;
      }
      case 'members':
        if (group !== undefined) group.agentIds = group.agentIds.includes(agent) ? [] : [agent];
        return;
      case 'switch':
        if (group !== undefined) group.isActive = !group.isActive;
        return;
      case 'delete-group':
        // The service refuses to delete the target of a schedule.
        if (group === undefined || [...schedules.values()].some(({ targetId }) => targetId === group.id))
          return;
        groups.delete(group.id);
        this.foreign.delete(group.id);
        return;
      case 'pause':
        if (schedule !== undefined) schedule.isEnabled = false;
        return;
      case 'inputs':
        if (schedule !== undefined) schedule.inputParameters = '{"country":"by hand"}';
        return;
      case 'delete-schedule':
        if (schedule !== undefined) schedules.delete(schedule.id);
        return;
      default:
        edit satisfies never;
    }
  }

  /** Edits may have come after the last apply. */
  async end(): Promise<void> {
    const last = this.accepted;
    if (last === null) return;
    ended += 1;
    this.write(manifestsOf(last));
    const allow = { allowAccountChange: true, allowEmpty: true };
    const { exit, stderr } = await this.workspace.apply(allow);
    expect([exit, stderr]).toEqual([0, expect.anything()]);
    if (last.prune === 'all') this.foreign.clear();
    const { changes } = await this.workspace.planJson(allow);
    expect(changes).toEqual([]);
    const { groups } = sandbox.world;
    for (const id of this.foreign) expect(groups.has(id)).toBe(true);
    const own = [...groups.values()].filter((each) => !isForeign(each));
    const textOf = (name: string, members: readonly string[]) => `${name}: ${[...members].sort().join(', ')}`;
    const shown = own.map(({ name, agentIds }) => textOf(name, this.membersOf(agentIds)));
    this.check(
      last,
      shown,
      last.groups.map(({ name, members }) => textOf(name, members)),
    );
    this.checkSchedules(last);
  }

  private checkSchedules(state: WalkState): void {
    const shown = [...sandbox.world.schedules.values()].map(
      ({ intervalValue, isEnabled, inputParameters }) => `${intervalValue} ${isEnabled} ${inputParameters}`,
    );
    const expected = state.schedules.map(
      ({ hours, enabled, country }) => `${hours} ${enabled} ${JSON.stringify({ country })}`,
    );
    this.check(state, shown, expected);
  }

  /** With `never`, what earlier states declared stays, even if a later one has taken its name. */
  private check({ prune }: WalkState, shown: string[], expected: string[]): void {
    if (prune === 'never') expect(shown).toEqual(expect.arrayContaining(expected));
    else expect(shown.sort()).toEqual(expected.sort());
  }

  private membersOf(ids: readonly string[] = []): string[] {
    return ids.map((id) => sandbox.world.agents.get(id)?.externalAgentId ?? id).sort();
  }

  private write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.workspace.write(name, text);
  }
}

async function walkAll(steps: readonly WalkStep[]): Promise<void> {
  const current = new Walk();
  for (const step of steps) await current.take(step);
  await current.end();
}

test('a walk ends where the last accepted state says, and refused states change nothing', async () => {
  ended = 0;
  const result = await fc.check(fc.asyncProperty(walk, walkAll), { numRuns: WALKS });
  // A walk is too long to print: the seed and the path find it again.
  const { failed, seed, counterexamplePath, errorInstance } = result;
  if (failed) throw new Error(`seed ${seed}, path "${counterexamplePath}"`, { cause: errorInstance });
  tally('I36', 'random walks', result.numRuns, result.numRuns);
  expect(ended).toBeGreaterThan(WALKS / 2);
});
