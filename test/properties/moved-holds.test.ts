import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultInjector } from '../support/client-faults.js';
import { start } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { runs } from '../support/size.js';
import { Team } from '../support/team.js';

/** I41: whatever two projects do with a schedule that moves between them, nothing starts what any of them has on hold. */

const names = ['retail', 'travel'] as const;
type Name = (typeof names)[number];

const nightly = { target: 'agent/globex', every: '1 day', startTime: '2099-12-01T06:00:00' };
const groups = {
  retail: { stays: { members: ['acme-shop'] } },
  travel: { flights: { members: ['initech'] } },
};

type Verb = 'apply' | 'hold' | 'resume';

type Step =
  | { readonly kind: 'declare'; readonly name: Name }
  | { readonly kind: 'pause in the dashboard' }
  | { readonly kind: 'run'; readonly name: Name; readonly verb: Verb; readonly killed: Killed | null };

/** At which request, counted from the first, and whether that takes effect. */
interface Killed {
  readonly nth: number;
  readonly act: 'kill-before' | 'kill-after';
}

const name = fc.constantFrom(...names);
const killed = fc.record({
  nth: fc.integer({ min: 1, max: 12 }),
  act: fc.constantFrom('kill-before' as const, 'kill-after' as const),
});
const command = fc.record({
  kind: fc.constant('run' as const),
  name,
  verb: fc.constantFrom<Verb[]>('apply', 'apply', 'hold', 'resume'),
  killed: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: killed }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: command },
  { weight: 2, arbitrary: name.map((to) => ({ kind: 'declare' as const, name: to })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'pause in the dashboard' as const }) },
);

interface Looked {
  readonly holders: readonly Name[];
  readonly isEnabled: boolean;
}

class MovedHold {
  private constructor(private readonly team: Team) {}

  static async make(): Promise<MovedHold> {
    const walk = new MovedHold(new Team(await startSandbox()));
    walk.declare('retail');
    for (const each of names) expect(await walk.run(each, 'apply')).toBe(0);
    return walk;
  }

  async take(each: Step): Promise<void> {
    if (each.kind === 'declare') return this.declare(each.name);
    if (each.kind === 'pause in the dashboard') return this.pause();
    const before = this.look();
    const exit = await this.run(each.name, each.verb, each.killed);
    const after = this.look();
    const isHeld = before.holders.length > 0 && !before.isEnabled;
    if (isHeld && after.holders.length > 0) expect(after.isEnabled).toBe(false);
    // A hold ends only if somebody ends it.
    if (each.verb !== 'resume' && before.holders.length > 0) expect(after.holders).not.toEqual([]);
    const others = ({ holders }: Looked) => holders.filter((holder) => holder !== each.name);
    expect(others(after)).toEqual(others(before));
    if (each.killed !== null) return;
    if (each.verb === 'apply') expect(exit).toBe(0);
    if (each.verb === 'apply' && after.holders.length > 0) expect(after.isEnabled).toBe(false);
    if (each.verb === 'hold') await this.expectHeld(each.name, exit);
  }

  /** One of the two projects can hold it, unless the old one has forgotten it before the new one has adopted it. */
  private async expectHeld(by: Name, exit: number | null): Promise<void> {
    const isOwned = names.some((each) => this.inventoryOf(each).includes('"schedule/nightly"'));
    if (!isOwned) return expect(exit).toBe(1);
    if (exit !== 0) expect(await this.run(by === 'retail' ? 'travel' : 'retail', 'hold')).toBe(0);
    const { holders, isEnabled } = this.look();
    expect([holders.length > 0, isEnabled]).toEqual([true, false]);
  }

  /** What is no longer on hold ends as declared, and both projects have nothing left to do. */
  async end(): Promise<void> {
    for (const each of [...names, ...names]) expect(await this.run(each, 'apply')).toBe(0);
    for (const each of [...names, ...names]) await this.run(each, 'resume');
    for (const each of [...names, ...names]) expect(await this.run(each, 'apply')).toBe(0);
    for (const each of names) expect(await this.team.actions(each)).toEqual([]);
    expect(this.look()).toEqual({ holders: [], isEnabled: true });
    expect(this.team.takeDeletes()).toEqual([]);
  }

  private declare(owner: Name): void {
    for (const each of names) {
      const moved = { schedules: { nightly } };
      const removed = { removed: ['schedule/nightly'] };
      this.team.declare(each, { groups: groups[each], ...(each === owner ? moved : removed) });
    }
  }

  private async run(project: Name, verb: Verb, fault: Killed | null = null): Promise<number | null> {
    const address = verb === 'apply' ? [] : ['schedule/nightly'];
    const reason = verb === 'hold' ? ['--reason', 'incident 42'] : [];
    const words = [verb, ...address, ...reason, '--yes'];
    if (fault === null) return (await this.team.run(project, ...words)).exit;
    const { root, sandbox } = this.team;
    const faults = new FaultInjector(sandbox);
    faults.inject(fault);
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const started = start(words, { cwd: `${root}/${project}`, env });
    faults.targetPid = started.pid;
    const { exit } = await started.ended;
    faults.inject();
    return exit;
  }

  private look(): Looked {
    const isHolder = (each: Name) => this.inventoryOf(each).includes('"hold":');
    const isResuming = (each: Name) => this.inventoryOf(each).includes('"resumed":');
    return {
      holders: names.filter((each) => isHolder(each) && !isResuming(each)),
      isEnabled: this.schedule().isEnabled,
    };
  }

  private inventoryOf(project: Name): string {
    return this.team.read(`${project}/roster.inventory.json`);
  }

  private pause(): void {
    this.schedule().isEnabled = false;
  }

  private schedule() {
    const [only, ...others] = this.team.sandbox.world.schedules.values();
    if (only === undefined || others.length > 0) throw new Error('there must be one schedule');
    return only;
  }
}

test('a schedule that moves between two projects is not started while one of them has it on hold', async () => {
  const walks = fc.array(step, { minLength: 4, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(walks, async (steps) => {
      const walk = await MovedHold.make();
      for (const each of steps) await walk.take(each);
      await walk.end();
    }),
    { numRuns: runs(12, 60) },
  );
});
