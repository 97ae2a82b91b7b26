import { expect, test } from 'vitest';
import type { Call } from '../../../src/model/request.js';
import { createClient } from '../../../src/service/client.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import { callOperation } from '../../../src/service/operation.js';
import * as runs from '../../../src/service/operations/agent-runs.js';
import * as agents from '../../../src/service/operations/agents.js';
import * as datasetQueries from '../../../src/service/operations/dataset-queries.js';
import * as datasets from '../../../src/service/operations/datasets.js';
import * as groupRuns from '../../../src/service/operations/group-runs.js';
import * as groups from '../../../src/service/operations/groups.js';
import * as jobs from '../../../src/service/operations/jobs.js';
import * as keys from '../../../src/service/operations/keys.js';
import * as pipelines from '../../../src/service/operations/pipelines.js';
import * as schedules from '../../../src/service/operations/schedules.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';
import { defaults } from './server.js';

const scripted = {
  agents: [
    { externalAgentId: 'acme', name: 'Acme', outcomes: [{ seconds: 10, records: 30 }] },
    {
      externalAgentId: 'globex',
      name: 'Globex',
      outcomes: [{ result: 'refuse' as const, message: 'Busy.' }],
    },
  ],
  groups: [{ name: 'Shops', members: ['acme', 'globex'] }],
};

test.each(sampleOf(Object.keys(VARIANTS) as Variant[], 10))(
  'operations: runs and data are understood from a service that behaves as %s',
  async (variant) => {
    const clock = new Date('2026-11-01T12:00:00Z');
    const sandbox = await startSandbox({ variants: [variant], clock: () => clock, seed: scripted });
    const client = createClient({ ...defaults, baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const call = <T>(operation: Call<T>) => callOperation(client, operation);
    try {
      const { id } = await call(jobs.startJob('acme'));
      const [{ id: groupId } = { id: '' }] = await client.readAll(groups.listGroups());
      const started = await call(groupRuns.runGroup(groupId));
      sandbox.advance(60_000);
      expect(await client.readAll(jobs.listJobs({ jobId: id }))).toMatchObject([
        { id, status: 3, isTerminal: true },
      ]);
      const parents = (await client.readAll(jobs.listJobs())).map((each) => each.groupRunId);
      expect(parents).toEqual([started.id, null]);
      const [run] = await client.readAll(runs.listRunsOfJob(id));
      expect(run).toMatchObject({
        isTerminal: true,
        data: 30,
        startTime: expect.stringMatching(/^2026-11-01T12:00:00/),
      });
      await call(runs.refreshRun(run?.id ?? ''));
      expect(await call(runs.activeRunCount())).toBe(0);
      expect(await call(groupRuns.getGroupRun(started.id))).toMatchObject({
        jobs: { length: 1 },
        notStarted: [{ reason: 'Busy.' }],
      });
      const datasetId = await call(jobs.jobDataset(id));
      expect((await client.readAll(datasets.listDatasets())).map((each) => each.id)).toContain(datasetId);
      const { columns, rows } = await call(datasetQueries.queryDataset(datasetId, { pageSize: 5 }));
      expect(rows).toHaveLength(5);
      expect(columns.every((column) => Object.hasOwn(rows[0] ?? {}, column))).toBe(true);
      await expect(call(jobs.jobDataset(groupId))).rejects.toMatchObject({ status: 404 });
    } finally {
      await client.close();
      await sandbox.close();
    }
  },
);

/** Without the id of a new object in the response. */
const withoutId: ReadonlySet<string> = new Set(['no-data-answers']);

/** Previews that are wrong, which a plan reports. */
const firstRuns = new Map<Variant, string | null>([
  ['preview-an-hour-late', '2099-12-01T07:00:00Z'],
  ['preview-never', null],
]);

test.each(sampleOf(Object.keys(VARIANTS) as Variant[], 10))(
  'operations: every operation understands a service that behaves as %s',
  async (variant) => {
    const sandbox = await startSandbox({ variants: [variant] });
    const client = createClient({ ...defaults, baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    try {
      const assigned = await client.readAll(agents.listAgents());
      const [first, second] = assigned.map((each) => each.id);
      if (first === undefined || second === undefined) throw new Error('the sandbox has too few agents');
      const agentIds = [second, first];

      const made = (await client.send(groups.createGroup({ name: 'New', description: '', agentIds }))).data;
      const group = (await client.readAll(groups.listGroups())).find((each) => each.name === 'New');
      expect(groups.createdId(made)).toBe(withoutId.has(variant) ? null : group?.id);
      const whole = await client.read(groups.getGroup(group?.id ?? ''));
      expect([...(whole.agents ?? [])].sort()).toEqual([...agentIds].sort());

      await client.send(pipelines.createPipeline({ name: 'Steps', description: 'x', agentIds }));
      const pipeline = (await client.readAll(pipelines.listPipelines())).find(
        (each) => each.name === 'Steps',
      );
      expect(await client.read(pipelines.getPipeline(pipeline?.id ?? ''))).toMatchObject({
        agents: agentIds,
      });

      const body = {
        targetType: 'Group',
        targetId: whole.id,
        scheduleType: 'Basic',
        intervalValue: 6,
        intervalUnit: 'Hours',
        startTime: '2099-12-01T06:00:00',
        timeZoneId: 'UTC',
        isEnabled: true,
      } as const;
      const runs = client.read(schedules.previewSchedule(body));
      if (variant === 'preview-unavailable') await expect(runs).rejects.toThrow(ServiceFailure);
      else
        expect((await runs)[0] ?? null).toBe(
          firstRuns.has(variant) ? firstRuns.get(variant) : '2099-12-01T06:00:00Z',
        );
      await client.send(schedules.createSchedule(body));
      const listed = (await client.readAll(schedules.listSchedules())).find(
        (each) => each.targetId === whole.id,
      );
      expect(listed).toMatchObject({
        scheduleType: 'Basic',
        intervalValue: 6,
        intervalUnit: 'Hours',
        isEnabled: true,
      });
      const paused = (await client.send(schedules.bulkEnable([listed?.rawId ?? ''], false))).data;
      expect(schedules.bulkCounts(paused)).toEqual({ affected: 1, skipped: 0 });

      const key = keys.createdKey(
        (await client.send(keys.createKey({ name: 'k', scopes: ['agents.run'] }))).data,
      );
      if (key === null) throw new Error('no key in the response');
      client.useKey(key.key);
      expect(
        (await client.readAll(keys.listKeys())).filter((each) => each.isActive).map((each) => each.name),
      ).toContain('k');
    } finally {
      await client.close();
      await sandbox.close();
    }
  },
);
