import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SeedKey } from '../../../src/sandbox/index.js';
import type { Fixture } from './fixture.js';
import type { Scenario } from './scenarios.js';

export const keysPath = '/api/api-keys';
export const sink = '.secrets/ci.key';

export interface KeyProject {
  readonly scopes?: unknown;
  readonly deliver?: object;
  /** `scopes:` of roster.yaml. */
  readonly known?: readonly string[];
  readonly rotateAfter?: string;
}

/** A new key, and objects of other kinds that are created before it. */
export function keyScenario(project: KeyProject = {}): Scenario {
  const { scopes = ['agents.run'], deliver = { file: sink }, known, rotateAfter } = project;
  const rotation = rotateAfter === undefined ? {} : { rotateAfter };
  const manifest = {
    project: 'faults',
    ...(known === undefined ? {} : { scopes: known }),
    groups: { shops: { members: ['acme-shop'], active: false } },
    schedules: { shops: { target: 'group/shops', every: '6 hours', startTime: '2099-01-01T06:00:00' } },
    keys: { ci: { ...(scopes === null ? {} : { scopes }), deliver, ...rotation } },
  };
  return { name: 'a key', before: null, manifest: JSON.stringify(manifest) };
}

/** Seeds with which the same project creates, replaces or rotates its key. */
export const occasions: Readonly<Record<string, { readonly key: readonly SeedKey[]; rotateAfter?: string }>> =
  {
    create: { key: [] },
    replace: { key: [{ name: 'ci', scopes: [] }] },
    rotate: {
      key: [{ name: 'ci', scopes: ['agents.run'], createdDate: '2020-01-01T00:00:00Z' }],
      rotateAfter: '90 days',
    },
  };

/** Creates a key as in the dashboard: it revokes all others (interface §5.5), and roster gets it. */
export function fromDashboard({ sandbox: { world }, workspace }: Fixture): void {
  const text = `svc_live_${randomBytes(20).toString('hex')}`;
  const [template] = world.keys.values();
  if (template === undefined) throw new Error('the sandbox has no key');
  for (const key of world.keys.values()) key.isRevoked = true;
  const hash = createHash('sha256').update(text).digest('hex');
  const keyPrefix = text.slice(0, 16);
  const id = randomUUID();
  const fields = { id, name: 'dashboard', scopes: [], isRevoked: false, hash, keyPrefix };
  world.keys.set(id, { ...template, ...fields });
  world.apiKey = text;
  workspace.env['ROSTER_API_KEY'] = text;
}

/** Index of the first request that creates a key; -1 for none. */
export const creationIn = ({ sandbox }: Fixture): number =>
  sandbox.requests.findIndex(({ method, path }) => method === 'POST' && path === keysPath);

export const creationsIn = ({ sandbox }: Fixture): number =>
  sandbox.requests.filter(({ method, path }) => method === 'POST' && path === keysPath).length;

/** The requests after the create of a key, as `METHOD path`. */
export const afterCreation = (fixture: Fixture): string[] =>
  fixture.sandbox.requests.slice(creationIn(fixture) + 1).map(({ method, path }) => `${method} ${path}`);

/** Active keys with their scopes, by name. */
export const activeKeys = ({ sandbox }: Fixture): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...sandbox.world.keys.values()]
      .filter((key) => !key.isRevoked)
      .map((key) => [key.name, [...key.scopes].sort()]),
  );
