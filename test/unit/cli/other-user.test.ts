import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { Saves } from '../../support/saves.js';
import { sampleOf } from '../../support/size.js';

/** Keys of different users see different objects (interface §1.10, §2, §5): two people and one project. */

const colleague = 'svc_live_colleague000000000000000000';
const stranger = 'svc_live_stranger0000000000000000000';
const agents = ['acme', 'globex', 'initech'].map((externalAgentId) => ({
  ...{ externalAgentId, name: `Agent ${externalAgentId}`, assignedTo: ['acme-inc'] },
}));
const seed: Seed = {
  ...{ agents, groups: [], pipelines: [], schedules: [] },
  users: [
    { name: 'caller', company: 'acme-inc' },
    { name: 'ben', company: 'acme-inc' },
    { name: 'carl', company: 'other-inc' },
  ],
  keys: [
    { name: 'ben', user: 'ben', key: colleague },
    { name: 'carl', user: 'carl', key: stranger },
  ],
};

const at = 'startTime: "2099-12-01T06:00:00"';
const groups = 'groups:\n  shops: { members: [acme, globex] }\n  jobs: { members: [initech] }\n';
const schedules = `schedules:
  hourly: { target: group/shops, every: 1 hour, ${at} }
  daily: { target: group/shops, every: 1 day, ${at} }
  single: { target: agent/acme, every: 2 days, ${at} }
`;

const saves = new Saves();

async function project(text: string): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await startSandbox({ seed });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  await saves.begin(text, sandbox, workspace, async () => expect((await workspace.apply()).exit).toBe(0));
  sandbox.requests.length = 0;
  return { sandbox, workspace };
}

const texts = {
  'groups, which are seen and cannot be changed': `project: p\n${groups}`,
  'schedules, which are not seen': `project: p\n${schedules.replaceAll('group/shops', 'agent/globex')}`,
  both: `project: p\n${groups}${schedules}`,
};

/** The same entries, bound to their objects, as `pull` writes them. */
function withIds(workspace: Workspace, text: string): string {
  const { entries } = inventoryAt<{ entries: Record<string, { id: string }> }>(workspace.root);
  return text.replaceAll(/^( {2})(\w+): \{ (members|target)/gm, (_line, indent, key, field) => {
    const address = `${field === 'members' ? 'group' : 'schedule'}/${key}`;
    return `${indent}${key}: { id: "${entries[address]?.id}", ${field}`;
  });
}

const commands: readonly (readonly string[])[] = [
  ['plan'],
  ['plan', '--destroy'],
  ['apply', '--yes'],
  ['drift'],
  ['snapshot'],
  ['data', 'check', '*'],
  ['why', '*'],
  ['status'],
  ['hold', '--all', '--reason', 'x', '--yes'],
  ['hold', 'agent/acme', '--reason', 'x', '--yes'],
  ['resume', '--all', '--yes'],
  ['pull', '--yes'],
  ['list'],
  ['list', '--unmanaged'],
];

function errorsOf(ran: { stdout: string; stderr: string }): readonly Diagnostic[] {
  const { diagnostics } = jsonOf<{ diagnostics: readonly Diagnostic[] }>(ran);
  return diagnostics.filter(({ severity }) => severity === 'error');
}

const users = [
  ['a colleague', colleague, false],
  ['a colleague, with ids in the manifests', colleague, true],
  ['a user of another company', stranger, false],
  ['a user of another company, with ids in the manifests', stranger, true],
] as const;

describe.each(Object.entries(texts))('with the key of another user, a project of %s', (_, text) => {
  test.each(sampleOf(users, 2))(
    'gets one error from every command, and it is the same one: %s',
    async (_name, key, hasIds) => {
      const { sandbox, workspace } = await project(text);
      if (hasIds) workspace.write('roster.yaml', withIds(workspace, text));
      workspace.env['ROSTER_API_KEY'] = key;
      const messages = new Set<string>();
      const run = ['run', text.includes('groups:') ? 'group/shops' : 'schedule/single'];
      for (const words of [...commands, run]) {
        const ran = await workspace.command([...words, '--format', 'json']);
        const errors = errorsOf(ran);
        const found = errors.map(({ code }) => code);
        expect([words, ran.exit, found]).toEqual([words, 4, ['inventory-mismatch']]);
        expect(errors[0]?.help).toContain('needs an API key of the same user');
        messages.add(errors[0]?.message ?? '');
      }
      expect([...messages]).toHaveLength(1);
      const writes = sandbox.requests.filter(
        ({ method, path }) => method !== 'GET' && !path.endsWith('/preview'),
      );
      expect(writes).toEqual([]);
    },
  );
});

test('a few objects that became unmanageable are errors of their own, and hold no other back', async () => {
  const { sandbox, workspace } = await project(texts.both);
  for (const group of sandbox.world.groups.values()) if (group.name === 'shops') group.canManage = false;
  const plan = await workspace.command(['plan', '--format', 'json']);
  expect([plan.exit, errorsOf(plan).map(({ code }) => code)]).toEqual([1, ['not-manageable']]);
  // What starts the group belongs to this user still.
  const held = await workspace.command(['hold', 'group/shops', '--reason', 'x', '--yes']);
  expect([held.exit, held.stdout]).toEqual([0, expect.stringMatching(/^Hold complete: 2 paused\.$/m)]);
});
