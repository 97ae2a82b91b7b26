import { expect, test } from 'vitest';
import * as roster from '../../../src/index.js';
import { jsonOf } from '../../support/json.js';
import { runWorld } from '../../support/runs.js';

type Read = (session: roster.ReadSession, id: string) => Promise<object>;

const values: readonly (readonly [line: string, read: Read])[] = [
  ['status', async (session) => roster.statusJson(await roster.status(session))],
  [
    'runs group/shops',
    async (session) => roster.runsListJson(await roster.listRuns(session, { address: 'group/shops' })),
  ],
  [
    'data',
    async (session) => {
      const { datasets, total, diagnostics } = await roster.listData(session);
      return roster.datasetsJson(datasets, total, diagnostics);
    },
  ],
  ['runs show ID', async (session, id) => roster.shownRunJson(await roster.showRun(session, id))],
];

test.each(values)(
  'the library has the value that `roster %s --format json` prints',
  async (line, readValue) => {
    const world = await runWorld();
    try {
      world.workspace.now = () => world.sandbox.now();
      const id = (await world.json('run group/shops')).runs[0]?.id ?? '';
      const { exit, stdout } = await world.run(`${line.replace('ID', id)} --format json`);
      expect(exit).toBe(0);
      const { root: cwd, env, now, sleep } = world.workspace;
      const options = { cwd, env, now, sleep, redactor: new roster.Redactor() };
      const value = await roster.withReadSession(options, (session) => readValue(session, id));
      expect(JSON.parse(JSON.stringify(value))).toEqual(jsonOf({ stdout }));
      expect(JSON.stringify(value)).toContain(line === 'data' ? 'agent/globex' : 'group/shops');
    } finally {
      await world.close();
    }
  },
);
