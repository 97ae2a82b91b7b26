import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { agentRoutes } from './agents.js';
import { type Core, notFound, Refusal, type Route } from './api.js';
import { groupRoutes, pipelineRoutes } from './collections.js';
import { keyRoutes } from './keys.js';
import { authentication, type Env, type RecordedRequest, recording } from './middleware.js';
import { refusalWire, successWire, type Wire } from './response-variants.js';
import { scheduleRoutes } from './schedules.js';
import type { World } from './world.js';

/** The areas of interface.md §4 that the sandbox has. Anything else under /api is not found. */
const ROUTES: readonly Route[] = [
  ...agentRoutes,
  ...groupRoutes,
  ...pipelineRoutes,
  ...scheduleRoutes,
  ...keyRoutes,
];

export interface AppHooks {
  readonly requests: RecordedRequest[];
  /** Awaited after every request that changed something, before it is answered. */
  readonly saved: () => Promise<void>;
  /**
   * The place for faults: runs around the handler of an authenticated request, so that `await next()` divides
   * "before the effect" from "after it". The raw socket is at `c.env.incoming` and `c.env.outgoing`.
   */
  readonly around?: MiddlewareHandler<Env>;
  /** Called before each request is handled. */
  readonly before?: () => void;
  /** The state that lists show: an earlier one where they lag behind. */
  readonly listed?: () => World;
}

/** The HTTP face of the service; it holds no state but what `core` and `hooks` give it. */
export function buildApp(core: Core, hooks: AppHooks): Hono<Env> {
  const app = new Hono<Env>();
  app.use(recording(hooks.requests));
  app.use('/api/*', authentication(core.world, core.clock));
  app.use('/api/*', hooks.around ?? passThrough);
  for (const path of new Set(ROUTES.map((route) => route.path))) addPath(app, core, hooks, path);
  app.notFound((c) => send(c, refusalWire(core, notFound('The requested path'))));
  app.onError((error, c) => send(c, refusalWire(core, asRefusal(error))));
  return app;
}

const passThrough: MiddlewareHandler<Env> = (_c, next) => next();

/** All methods of a path, then 405 for the rest of them, so that no later path catches those. */
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
  const query = new URL(c.req.url).searchParams;
  hooks.before?.();
  const world = isList(route) ? (hooks.listed?.() ?? core.world) : core.world;
  const result = route.handle({ ...core, world }, { params: c.req.param(), query, body, caller });
  const wire = successWire(core, result, query);
  if (route.method !== 'GET' && result.operation !== 'preview') await hooks.saved();
  return send(c, wire);
}

/** A path without an id. */
function isList({ method, path }: Route): boolean {
  return method === 'GET' && !path.includes(':');
}

function asRefusal(error: Error): Refusal {
  return error instanceof Refusal ? error : new Refusal(500, `The sandbox failed: ${error.message}`);
}

function send(c: Context<Env>, { status, body }: Wire): Response {
  const headers = new Headers(c.res.headers);
  if (body === null) return new Response(null, { status, headers });
  const isText = typeof body === 'string';
  headers.set('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  return new Response(isText ? body : JSON.stringify(body), { status, headers });
}
