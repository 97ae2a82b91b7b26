import { expect } from 'vitest';
import type { Fault, Sandbox } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { experiments } from './support/experiments.js';

/** I24: the counts in a bulk response are not trusted. What the call left undone is done one by one, or reported. */

const operations = ['enable', 'pause', 'delete'] as const;
type Operation = (typeof operations)[number];
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

function project(kept: number, enabled: boolean): string {
  const schedules = numbers(kept).map((n) => [
    `s${n}`,
    { target: 'agent/acme-shop', every: `${n} days`, startTime: '2099-01-01T00:00:00', enabled },
  ]);
  const limits = { deletes: 500, startsPerMinute: 1000 };
  return JSON.stringify({
    project: 'b',
    limits,
    schedules: Object.fromEntries(schedules),
    groups: { g: { members: [] } },
  });
}

const counts = (affected: unknown, skipped: unknown) => ({ success: true, data: { affected, skipped } });

/** Responses to a call for four schedules. None of them says that all four were changed. */
const answers: Readonly<Record<string, Omit<Fault, 'act'>>> = {
  'three skipped': body(counts(1, 3)),
  'all skipped': body(counts(0, 4)),
  'four changed and one skipped': body(counts(4, 1)),
  'more than four': body(counts(5, 0)),
  'fewer than four': body(counts(3, 0)),
  none: body(counts(0, 0)),
  'as text': body(counts('1', '3')),
  'in words': body(counts('four', 'none')),
  negative: body(counts(4, -1)),
  fractions: body(counts(3.5, 0.5)),
  infinity: { status: 200, body: '{"success":true,"data":{"affected":1e999,"skipped":0}}' },
  'true and false': body(counts(true, false)),
  null: body(counts(null, null)),
  'lists of ids': body(counts(['a', 'b'], [])),
  'affected alone': body(counts(4, undefined)),
  'skipped alone': body(counts(undefined, 0)),
  'by another name': body({ success: true, data: { updated: 4, ignored: 0 } }),
  'no data': body({ success: true }),
  'data: null': body({ success: true, data: null }),
  'data: []': body({ success: true, data: [] }),
  'data: 4': body({ success: true, data: 4 }),
  'a word': body({ success: true, data: 'done' }),
  'no body': { status: 200 },
  '204': { status: 204 },
  '202': { status: 202, body: JSON.stringify({ success: true, message: 'queued' }) },
};

function body(value: object): Omit<Fault, 'act'> {
  return { status: 200, body: JSON.stringify(value) };
}

const effects = ['nothing was done', 'half was done', 'all was done'] as const;
type Effect = (typeof effects)[number];

interface Experiment {
  readonly operation: Operation;
  readonly answer: string;
  readonly effect: Effect;
  readonly verify: boolean;
}

const all: readonly Experiment[] = operations.flatMap((operation) =>
  Object.keys(answers).flatMap((answer) =>
    effects.flatMap((effect) => [true, false].map((verify) => ({ operation, answer, effect, verify }))),
  ),
);

experiments(
  'I24',
  'bulk: after a response that does not confirm every change, only the remaining objects are changed one by one',
  all,
  async (each) => {
    await arrange(each.operation, 4, async (sandbox, workspace) => {
      interfere(sandbox, each.operation, each.effect, answers[each.answer] ?? {});
      const ran = await workspace.apply({ verify: each.verify });
      expect([ran.exit, ran.exit === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, '']);
      expect(left(sandbox, each.operation)).toEqual([]);
      // Only the schedules that were left undone are changed again.
      const undone = { 'nothing was done': 4, 'half was done': 2, 'all was done': 0 }[each.effect];
      expect(single(sandbox)).toHaveLength(undone);
    });
  },
  19,
);

/** The response looks right, but the changes are missing: the read-back finds them. */
experiments(
  'I24',
  'bulk: after a response with false counts, the run is not converged and the next apply converges',
  operations.flatMap((operation) => effects.slice(0, 2).map((effect) => ({ operation, effect }))),
  async ({ operation, effect }) => {
    await arrange(operation, 4, async (sandbox, workspace) => {
      interfere(sandbox, operation, effect, body(counts(4, 0)));
      const ran = await workspace.applyJson();
      expect([ran.exit, ran.converged]).toEqual([3, false]);
      expect(ran.diagnostics.filter(({ code }) => code === 'not-converged')).toHaveLength(
        left(sandbox, operation).length,
      );
      sandbox.faults.faults = [];
      expect((await workspace.apply()).exit).toBe(0);
      expect(left(sandbox, operation)).toEqual([]);
    });
  },
  3,
);

/** A change that cannot be verified does not count as done. */
experiments(
  'I24',
  'bulk: if the list cannot be read after such a response, the run fails and the next apply converges',
  operations.flatMap((operation) => [true, false].map((verify) => ({ operation, verify }))),
  async ({ operation, verify }) => {
    await arrange(operation, 4, async (sandbox, workspace) => {
      interfere(sandbox, operation, 'nothing was done', body(counts(1, 3)));
      // The second read of the list follows the bulk call; each of these faults fails one attempt at it.
      const unreadable: Fault = { act: 'status', method: 'GET', path: '/api/schedules', nth: 2, status: 500 };
      const { faults } = sandbox;
      faults.faults = [...faults.faults, { ...unreadable }, { ...unreadable }, { ...unreadable }];
      const ran = await workspace.applyJson({ verify });
      expect([ran.exit, ran.converged]).toEqual([3, false]);
      sandbox.faults.faults = [];
      expect((await workspace.apply()).exit).toBe(0);
      expect(left(sandbox, operation)).toEqual([]);
    });
  },
  3,
);

/** Two changes remain and one of them fails: the report is right for each. */
experiments(
  'I24',
  'bulk: if one of the single changes fails, the others are done and reported',
  operations.flatMap((operation) =>
    [400, 403, 404, 500].flatMap((status) =>
      [2, 3].flatMap((index) => [true, false].map((verify) => ({ operation, status, index, verify }))),
    ),
  ),
  async ({ operation, status, index, verify }) => {
    await arrange(operation, 4, async (sandbox, workspace) => {
      const id = [...sandbox.world.schedules.keys()][index] ?? '';
      interfere(sandbox, operation, 'half was done', body(counts(2, 2)));
      const { faults } = sandbox;
      const refused: Fault = { act: 'status', path: `/api/schedules/${id}*`, status };
      const single = (method: 'PUT' | 'POST' | 'DELETE'): Fault => ({ ...refused, method });
      for (let attempt = 0; attempt < 3; attempt += 1)
        faults.faults = [...faults.faults, single('PUT'), single('POST'), single('DELETE')];
      const ran = await workspace.applyJson({ verify });
      expect([ran.exit, left(sandbox, operation)]).toEqual([3, [id]]);
      expect(ran.changes.map((each) => [each.id, each.outcome === 'done'])).toEqual(
        ran.changes.map((each) => [each.id, each.id !== id]),
      );
      sandbox.faults.faults = [];
      expect((await workspace.apply()).exit).toBe(0);
      expect(left(sandbox, operation)).toEqual([]);
    });
  },
  7,
);

experiments(
  'I24',
  'bulk: what the second of two bulk calls leaves undone is changed one by one',
  [...operations],
  async (operation) => {
    await arrange(operation, 130, async (sandbox, workspace) => {
      sandbox.faults.faults = [
        { act: 'status', method: 'POST', path: '/api/schedules/bulk/*', nth: 2, ...body(counts(0, 30)) },
      ];
      expect((await workspace.apply()).exit).toBe(0);
      expect(left(sandbox, operation)).toEqual([]);
      expect(single(sandbox)).toHaveLength(30);
    });
  },
  3,
);

/** A service with `count` schedules, and a project that changes or deletes all of them. */
async function arrange(
  operation: Operation,
  count: number,
  work: (sandbox: Sandbox, workspace: Workspace) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': project(count, operation !== 'enable') }, sandbox);
  workspace.sleep = () => Promise.resolve();
  try {
    expect((await workspace.apply()).exit).toBe(0);
    workspace.write('roster.yaml', project(operation === 'delete' ? 0 : count, operation === 'enable'));
    sandbox.requests.length = 0;
    await work(sandbox, workspace);
  } finally {
    await sandbox.close();
  }
}

/** Gives the next bulk call an effect and a response. */
function interfere(
  { world, faults }: Sandbox,
  operation: Operation,
  effect: Effect,
  answer: Omit<Fault, 'act'>,
): void {
  const bulk = { method: 'POST', path: '/api/schedules/bulk/*', ...answer };
  faults.faults = [{ act: effect === 'all was done' ? 'status-after' : 'status', ...bulk }];
  const half = effect === 'half was done' ? [...world.schedules.values()].slice(0, 2) : [];
  let reads = 0;
  // The second read of the list is the first that can see the effect of the call.
  faults.intercept = async ({ method, path }, next) => {
    if (method === 'GET' && path === '/api/schedules' && ++reads === 2)
      for (const record of half) {
        if (operation === 'delete') world.schedules.delete(record.id);
        else record.isEnabled = operation === 'enable';
      }
    await next();
  };
}

/** The ids of schedules that differ from the project. */
function left({ world }: Sandbox, operation: Operation): string[] {
  const schedules = [...world.schedules.values()];
  const wrong =
    operation === 'delete'
      ? schedules
      : schedules.filter(({ isEnabled }) => isEnabled !== (operation === 'enable'));
  return wrong.map(({ id }) => id);
}

const single = ({ requests }: Sandbox) =>
  requests.filter(({ method, path }) => method !== 'GET' && !/\/(bulk|preview)/.test(path));
