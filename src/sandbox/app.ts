import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { agentRoutes } from './agents.js';
import {
  type Behaviour,
  type Core,
  type Exchange,
  notFound,
  Refusal,
  type Reply,
  type Route,
} from './api.js';
import { groupRoutes, pipelineRoutes } from './collections.js';
import { bulkRoutes } from './datasets/bulk.js';
import { explorerRoutes } from './datasets/explorer.js';
import { exportRoutes } from './datasets/exports.js';
import { datasetRoutes } from './datasets/list.js';
import { savedQueryRoutes } from './datasets/saved-queries.js';
import type { ListLag } from './faults/list-lag.js';
import { keyRoutes } from './keys.js';
import { authentication, type Env, hostCheck, type Recorder, recording } from './middleware.js';
import { groupRunRoutes } from './runs/group-runs.js';
import { jobRoutes } from './runs/jobs.js';
import { pipelineRunRoutes } from './runs/pipeline-runs.js';
import { runRoutes } from './runs/runs.js';
import { startRoutes } from './runs/starts.js';
import { sampleRoutes } from './samples.js';
import { scheduleRoutes } from './schedules/routes.js';
import { sendFile } from './send-file.js';

/**
 * Every operation of interface.md §4. Any other path under /api is not found. Paths without an id come before those whose
 * `:id` would match them.
 */
export const ROUTES: readonly Route[] = [
  ...exportRoutes,
  ...runRoutes,
  ...jobRoutes,
  ...datasetRoutes,
  ...startRoutes,
  ...sampleRoutes,
  ...agentRoutes,
  ...groupRunRoutes,
  ...groupRoutes,
  ...pipelineRunRoutes,
  ...pipelineRoutes,
  ...explorerRoutes,
  ...bulkRoutes,
  ...savedQueryRoutes,
  ...scheduleRoutes,
  ...keyRoutes,
];

export interface AppHooks {
  readonly recorder: Recorder;
  /** What the server listens on. */
  readonly host: string;
  readonly behaviour: Behaviour;
  /** Runs around the handler of each authenticated request. */
  readonly faults: MiddlewareHandler<Env>;
  readonly lag: ListLag;
  /** Awaited after every request that may have changed something, before it is answered. */
  readonly save: () => Promise<void>;
}

/** The HTTP layer of the service. It holds no state of its own. */
export function buildApp(core: Core, hooks: AppHooks): Hono<Env> {
  const app = new Hono<Env>();
  const refusal = (error: Error) => hooks.behaviour(() => refusalReply(error), null);
  app.use(recording(hooks.recorder));
  app.use(hostCheck(hooks.host));
  app.use('/api/*', authentication(core.world, core.clock));
  app.use('/api/*', hooks.faults);
  for (const path of new Set(ROUTES.map((route) => route.path))) addPath(app, core, hooks, path);
  app.notFound((c) => send(c, refusal(notFound('The requested path'))));
  app.onError((error, c) => send(c, refusal(error)));
  return app;
}

/** All methods of a path, then 405 for the other methods, so that no later path matches them. */
function addPath(app: Hono<Env>, core: Core, hooks: AppHooks, path: string): void {
  const routes = ROUTES.filter((route) => route.path === path);
  for (const route of routes) app.on(route.method, path, (c) => answer(c, core, hooks, route));
  app.all(path, (c) => {
    c.header('Allow', routes.map((route) => route.method).join(', '));
    throw new Refusal(405, `The method ${c.req.method} is not allowed here.`);
  });
}

async function answer(c: Context<Env>, core: Core, hooks: AppHooks, route: Route): Promise<Response> {
  const { body, caller } = c.var;
  if (body instanceof Refusal) throw body;
  if (route.scoped && caller.scopes.length > 0 && !caller.scopes.includes('agents.run')) {
    throw new Refusal(403, 'The API key lacks the scope agents.run.');
  }
  const happened = core.engine.settle(core.clock().getTime());
  hooks.lag.beforeRequest();
  const world = isList(route) ? hooks.lag.listed() : core.world;
  const call = { params: c.req.param(), query: new URL(c.req.url).searchParams, body, caller };
  const exchange: Exchange = { core: { ...core, world }, route, call };
  const reply = hooks.behaviour(() => handle(exchange), exchange);
  const changed = route.method !== 'GET' && reply.status < 400;
  if (changed) hooks.lag.afterChange();
  if (changed || happened) await hooks.save();
  return send(c, reply);
}

/** A path without an id. */
function isList({ method, path }: Route): boolean {
  return method === 'GET' && !path.includes(':');
}

/** A success has the envelope `{ success, message?, data }` (interface.md §1, convention 3). */
function handle({ core, route, call }: Exchange): Reply {
  try {
    const answer = route.handle(core, call);
    if ('pieces' in answer) return { status: 200, body: null, file: answer };
    return { status: 200, body: { success: true, ...answer } };
  } catch (error) {
    return refusalReply(error);
  }
}

/** The interface does not show the whole body of an error (§7). */
function refusalReply(error: unknown): Reply {
  const { status, message, errorCode, headers } =
    error instanceof Refusal ? error : new Refusal(500, `The sandbox failed: ${String(error)}`);
  const body = { success: false, message, ...(errorCode ? { errorCode } : {}) };
  return { status, body, ...(headers === undefined ? {} : { headers }) };
}

function send(c: Context<Env>, { status, body, file, headers: own = {} }: Reply): Response {
  const headers = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (file !== undefined) return sendFile(file, headers);
  if (body === null) return new Response(null, { status, headers });
  const isText = typeof body === 'string';
  headers.set('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}
