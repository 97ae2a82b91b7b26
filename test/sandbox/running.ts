import type { SandboxOptions, Seed } from '../../src/sandbox/index.js';
import {
  ACME,
  type Body,
  GLOBEX,
  GROUP,
  HIDDEN,
  INITECH,
  NOW,
  PIPELINE,
  type Service,
  service,
} from './service.js';

type SeedAgent = NonNullable<Seed['agents']>[number];

/** A sandbox with scripted runs, whose clock stands still until a test advances it. */

export const AGENTS = '/api/scraper-agents';
export const GROUPS = '/api/search-groups';
export const PIPELINES = '/api/pipelines';
export const SCHEDULES = '/api/schedules';
export const EXPLORER = '/api/data-explorer';
export const COLLEAGUE = 'svc_live_colleague';
export const STRANGER = 'svc_live_stranger';
export const LONER = 'svc_live_loner';

export interface Running extends Service {
  data(method: string, path: string, body?: unknown, key?: string): Promise<Body>;
  /** Status and error code. */
  refusal(method: string, path: string, body?: unknown, key?: string): Promise<[number, string | undefined]>;
  seconds(count: number): void;
  /** Starts a job of `acme`, or another agent, and returns its id. */
  start(agent?: string, key?: string): Promise<string>;
  job(id: string, key?: string): Promise<Body>;
  runs(id: string, key?: string): Promise<Body>;
}

/** Agents take ten seconds. Other seeds of an agent go over that. */
function scripted(changes: Readonly<Record<string, Partial<SeedAgent>>> = {}): Seed {
  const agents = [
    { id: ACME, externalAgentId: 'acme', name: 'Acme', inputParameters: [{ key: 'q', defaultValue: 'x' }] },
    { id: GLOBEX, externalAgentId: 'globex', name: 'Globex' },
    { id: INITECH, externalAgentId: 'initech', name: 'Initech' },
    { id: HIDDEN, externalAgentId: 'hidden', name: 'Hidden', assignedTo: ['stranger'] },
  ];
  return {
    agents: agents.map((agent) => ({
      outcomes: [{ seconds: 10, records: 30 }],
      ...agent,
      ...changes[agent.externalAgentId],
    })),
    groups: [{ id: GROUP, name: 'Shops', members: ['acme', 'globex'] }],
    pipelines: [{ id: PIPELINE, name: 'Nightly', steps: ['acme', 'globex', 'initech'] }],
    users: [
      { name: 'colleague' },
      { name: 'stranger', company: 'elsewhere' },
      { name: 'loner', company: null },
    ],
    keys: [
      { name: 'own', key: 'svc_live_own_key' },
      { name: 'colleague', key: COLLEAGUE, user: 'colleague' },
      { name: 'stranger', key: STRANGER, user: 'stranger' },
      { name: 'loner', key: LONER, user: 'loner' },
    ],
  };
}

export async function running(
  changes: Readonly<Record<string, Partial<SeedAgent>>> = {},
  { seed = {}, ...options }: SandboxOptions = {},
): Promise<Running> {
  const on = await service({ clock: () => NOW, seed: { ...scripted(changes), ...seed }, ...options });
  const call = (method: string, path: string, body?: unknown, key = on.apiKey) =>
    on.call(method, path, body, { 'X-Api-Key': key });
  const data: Running['data'] = async (...request) => {
    const reply = await call(...request);
    if (reply.status !== 200) throw new Error(`${request[0]} ${request[1]}: ${reply.text}`);
    return reply.body.data;
  };
  return {
    ...on,
    data,
    refusal: async (...request) => {
      const { status, body } = await call(...request);
      return [status, body?.errorCode];
    },
    seconds: (count) => on.advance(count * 1000),
    start: async (agent = 'acme', key) =>
      (await data('POST', `${AGENTS}/${agent}/start-job`, undefined, key)).agentJobHistoryId,
    job: async (id, key) => (await data('GET', `${AGENTS}/jobs?jobId=${id}`, undefined, key)).items[0],
    runs: (id, key) => data('GET', `${AGENTS}/jobs/${id}/runs`, undefined, key),
  };
}
