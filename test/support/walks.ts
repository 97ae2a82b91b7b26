import fc from 'fast-check';

/** Random walks: sequences of desired states, states that must be refused, and edits in the dashboard in between. */

export interface WalkState {
  readonly prune: 'owned' | 'never' | 'all';
  readonly groups: readonly WalkGroup[];
  readonly schedules: readonly WalkSchedule[];
}

interface Placed {
  readonly key: string;
  /** In a file of its own, rather than in roster.yaml. */
  readonly included: boolean;
}

export interface WalkGroup extends Placed {
  readonly name: string;
  readonly members: readonly string[];
  readonly protect: boolean;
}

export interface WalkSchedule extends Placed {
  readonly target: string;
  readonly hours: number;
  readonly enabled: boolean;
  readonly country: string;
}

export type Mistake = 'syntax' | 'reference' | 'agent' | 'property' | 'duplicate' | 'no-deletes' | 'empty';

export type Edit = 'create' | 'members' | 'switch' | 'delete-group' | 'pause' | 'inputs' | 'delete-schedule';

export type WalkStep =
  | { readonly kind: 'state'; readonly state: WalkState }
  | { readonly kind: 'mistake'; readonly mistake: Mistake; readonly state: WalkState }
  | { readonly kind: 'again'; readonly back: number }
  | { readonly kind: 'edit'; readonly edit: Edit; readonly pick: number };

const KEYS = ['a', 'b', 'c', 'd'] as const;
const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const;
const AGENTS = ['acme-shop', 'globex', 'initech'];

const some = <T>(list: readonly T[], minLength = 0) => fc.shuffledSubarray([...list], { minLength });

const state: fc.Arbitrary<WalkState> = fc
  .tuple(some(KEYS), some(NAMES, 4), some(KEYS), some([1, 2, 3, 4], 4), fc.infiniteStream(fc.nat(11)))
  .chain(([groupKeys, names, scheduleKeys, hours, dice]) => {
    const roll = () => dice.next().value as number;
    const groups = groupKeys.map((key, index) => ({
      key,
      name: names[index] ?? key,
      members: AGENTS.slice(0, roll() % 4),
      protect: roll() === 0,
      included: roll() % 2 === 0,
    }));
    const targets = [...groupKeys.map((key) => `group/${key}`), 'agent/globex'];
    const schedules = scheduleKeys.map((key, index) => ({
      key,
      target: targets[roll() % targets.length] ?? 'agent/globex',
      hours: hours[index] ?? 9,
      enabled: roll() > 2,
      country: roll() % 2 === 0 ? 'DE' : 'FR',
      included: roll() % 2 === 0,
    }));
    const prune = fc.oneof(
      { weight: 6, arbitrary: fc.constant('owned' as const) },
      { weight: 1, arbitrary: fc.constantFrom('never' as const, 'all' as const) },
    );
    return prune.map((chosen) => ({ prune: chosen, groups, schedules }));
  });

const step: fc.Arbitrary<WalkStep> = fc.oneof(
  { weight: 4, arbitrary: state.map((each) => ({ kind: 'state' as const, state: each })) },
  { weight: 1, arbitrary: fc.nat(5).map((back) => ({ kind: 'again' as const, back })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mistake' as const),
      mistake: fc.constantFrom<Mistake[]>(
        'syntax',
        'reference',
        'agent',
        'property',
        'duplicate',
        'no-deletes',
        'empty',
      ),
      state,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      edit: fc.constantFrom<Edit[]>(
        'create',
        'members',
        'switch',
        'delete-group',
        'pause',
        'inputs',
        'delete-schedule',
      ),
      pick: fc.nat(20),
    }),
  },
);

export const walk: fc.Arbitrary<readonly WalkStep[]> = fc.array(step, { minLength: 3, maxLength: 9 });

const byKey = <T extends Placed>(list: readonly T[], included: boolean, text: (each: T) => object) =>
  Object.fromEntries(list.filter((each) => each.included === included).map((each) => [each.key, text(each)]));

const groupText = ({ name, members, protect }: WalkGroup) => ({ name, members, protect });

const scheduleText = ({ target, hours, enabled, country }: WalkSchedule) => ({
  target,
  every: `${hours} hours`,
  startTime: '2099-12-01T06:00:00',
  timeZone: 'UTC',
  enabled,
  inputs: { country },
});

/** The manifests of a state, as JSON, which is YAML. */
export function manifestsOf(wanted: WalkState, mistake: Mistake | null = null): Record<string, string> {
  const sections = (included: boolean) => ({
    groups: byKey(wanted.groups, included, groupText),
    schedules: byKey(wanted.schedules, included, scheduleText),
  });
  const own = sections(false);
  const head = { project: 'walk', include: ['teams/*.yaml'], prune: wanted.prune };
  const limits = { limits: { deletes: mistake === 'no-deletes' ? 0 : 50 } };
  const wrong: Partial<Record<Mistake, object>> = {
    reference: {
      schedules: { ...own.schedules, wrong: scheduleText({ ...broken, target: 'group/nobody' }) },
    },
    agent: { groups: { ...own.groups, wrong: { members: ['nobody'] } } },
    property: { groups: { ...own.groups, wrong: { members: [], colour: 'red' } } },
    duplicate: { groups: { ...own.groups, x: { name: 'Same' }, y: { name: 'Same' } } },
  };
  const isEmpty = mistake === 'empty';
  const top = isEmpty ? head : { ...head, ...limits, ...own, ...(mistake === null ? {} : wrong[mistake]) };
  const text = JSON.stringify(top);
  return {
    'roster.yaml': mistake === 'syntax' ? text.slice(0, -1) : text,
    'teams/team.yaml': JSON.stringify(isEmpty ? { groups: {} } : sections(true)),
  };
}

const broken: WalkSchedule = {
  key: 'x',
  target: '',
  hours: 7,
  enabled: true,
  country: 'DE',
  included: false,
};
