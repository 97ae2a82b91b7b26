import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Workspace } from '../../../support/roster.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

/**
 * A fifth kind needs its file, a place in the list of kinds, a schema, and routes in the sandbox. Everything else is the
 * program as it is.
 */
vi.mock('../../../../src/kinds/index.js', async (original) => {
  const { kinds } = await original<typeof import('../../../../src/kinds/index.js')>();
  const { webhook } = await import('./webhook.js');
  return { kinds: [...kinds, webhook] };
});
vi.mock('../../../../src/manifest/generated/validators.js', async (original) => {
  const generated = await original<typeof import('../../../../src/manifest/generated/validators.js')>();
  const [{ Ajv }, { webhookSchema }] = await Promise.all([import('ajv'), import('./webhook.js')]);
  const webhooks = new Ajv({ allErrors: true, verbose: true }).compile(webhookSchema);
  return {
    ...generated,
    sections: { ...generated.sections, webhooks },
    propertyNames: { ...generated.propertyNames, webhooks: Object.keys(webhookSchema.properties) },
  };
});

const manifest = (url: string) => `project: pricing
groups: { shops: { members: [acme-shop] } }
webhooks: { done: { url: "${url}", group: group/shops } }
`;

let service: WebhookService;
let workspace: Workspace;

beforeEach(async () => {
  service = await startWebhookService();
  workspace = new Workspace({ 'roster.yaml': manifest('https://example.com/a') }, service);
});
afterEach(() => service.close());

const unchanged = { create: 0, update: 0, delete: 0, unchanged: 2 };

test('a kind that roster does not know is created after what it refers to, updated and deleted', async () => {
  const first = await workspace.applyJson();
  expect(first).toMatchObject({ exit: 0, converged: true });
  const [created] = service.webhooks.values();
  expect(created).toMatchObject({ name: 'done', url: 'https://example.com/a' });
  expect((await workspace.planJson()).summary).toMatchObject(unchanged);

  workspace.write('roster.yaml', manifest('https://example.com/b'));
  expect((await workspace.apply()).exit).toBe(0);
  expect(created?.url).toBe('https://example.com/b');
  expect((await workspace.planJson()).summary).toMatchObject(unchanged);

  workspace.write('roster.yaml', 'project: pricing\n');
  expect((await workspace.apply({ allowEmpty: true })).exit).toBe(0);
  expect(service.webhooks.size).toBe(0);
  expect(service.requests.filter((each) => !each.startsWith('GET'))).toEqual([
    `POST /api/groups/${created?.groupId}/webhooks`,
    'PUT /api/webhooks/hook-1',
    'DELETE /api/webhooks/hook-1',
  ]);
});

test('a kind that roster does not know is printed as text, JSON and markdown', async () => {
  const text = await workspace.plan();
  expect(text.stdout).toContain('+ create  webhook/done  url https://example.com/a');
  expect(text.stdout).toContain('url https://example.com/a, group group/shops');
  const { changes } = await workspace.planJson();
  expect(changes.map(({ address, action }) => [address, action])).toEqual([
    ['group/shops', 'create'],
    ['webhook/done', 'create'],
  ]);
  const markdown = await workspace.plan({ format: 'markdown' });
  expect(markdown.stdout).toContain('`webhook/done`');
});

test('a kind that roster does not know is adopted, explained, and its spelling ignored', async () => {
  await workspace.apply();
  workspace.write('roster.yaml', manifest('https://EXAMPLE.com/a'));
  expect((await workspace.planJson()).summary).toMatchObject(unchanged);
  const why = await workspace.command(['why', 'webhook/done']);
  expect(why.stdout.replace(/\s+/g, ' ')).toContain('is equal: case has no meaning');
});

test('a mistake in an entry of a kind that roster does not know is reported at its place', async () => {
  workspace.write('roster.yaml', 'project: pricing\nwebhooks: { done: { url: x, group: group/none } }\n');
  const unknown = await workspace.validate();
  expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining('unknown-reference')]);
  workspace.write('roster.yaml', 'project: pricing\nwebhooks: { done: { url: 1, group: group/none } }\n');
  const invalid = await workspace.validate();
  expect([invalid.exit, invalid.stderr]).toEqual([1, expect.stringContaining('error[schema]')]);
});
