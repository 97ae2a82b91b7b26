import { expect, test } from 'vitest';
import { createClient } from '../../../src/service/client.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import * as agents from '../../../src/service/operations/agents.js';
import * as groups from '../../../src/service/operations/groups.js';
import * as keys from '../../../src/service/operations/keys.js';
import * as pipelines from '../../../src/service/operations/pipelines.js';
import * as schedules from '../../../src/service/operations/schedules.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { defaults } from './server.js';

/** Without the id of a new object in the response. */
const withoutId: ReadonlySet<string> = new Set(['no-data-answers']);

/** Previews that are wrong, which a plan reports. */
const firstRuns = new Map<Variant, string | null>([
  ['preview-an-hour-late', '2099-12-01T07:00:00Z'],
  ['preview-never', null],
]);

test.each(Object.keys(VARIANTS) as Variant[])(
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
