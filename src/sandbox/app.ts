import type { RequestListener } from 'node:http';
import { agentRoutes, sampleRoutes } from './agents.js';
import {
  type Behaviour,
  type Core,
  type Exchange,
  notFound,
  Refusal,
  type Reply,
  type Route,
  refusalReply,
} from './api.js';
import { authentication, hostCheck } from './authentication.js';
import { groupRoutes, pipelineRoutes } from './collections.js';
import { answerClock, CLOCK_PATH, type ControlledClock } from './control.js';
import { bulkRoutes, exportRoutes } from './datasets/exports.js';
import { datasetRoutes, explorerRoutes } from './datasets/routes.js';
import { savedQueryRoutes } from './datasets/saved-queries.js';
import type { Faults } from './faults.js';
import { listener, type Received, type Recorder } from './http.js';
import { keyRoutes } from './keys.js';
import type { ListLag } from './list-lag.js';
import { type Found, router } from './router.js';
import { groupRunRoutes, pipelineRunRoutes } from './runs/collection-runs.js';
import { jobRoutes } from './runs/jobs.js';
import { runRoutes, startRoutes } from './runs/runs.js';
import { scheduleRoutes } from './schedules/routes.js';
import type { KeyRecord } from './world.js';

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
  readonly control: ControlledClock;
  readonly recorder: Recorder;
  /** What the server listens on. */
  readonly host: string;
  readonly behaviour: Behaviour;
  /** Runs around the handler of each authenticated request. */
  readonly faults: Faults;
  readonly lag: ListLag;
  /** Called after every request that may have changed something, before it is answered. */
  readonly save: () => void;
}

/** The HTTP layer of the service. It holds no state of its own. */
export function buildApp(core: Core, hooks: AppHooks): RequestListener {
  const find = router(ROUTES);
  const checkHost = hostCheck(hooks.host);
  const callerOf = authentication(core.world, core.clock);
  const guarded = refusing(hooks.behaviour);
  return listener(hooks.recorder, (request) =>
    guarded(async () => {
      checkHost(request);
      const { pathname } = request.url;
      if (!pathname.startsWith('/api/') && pathname !== CLOCK_PATH) throw notFound('The requested path');
      const caller = callerOf(request);
      if (pathname === CLOCK_PATH) return answerClock(hooks.control, request);
      return hooks.faults(request, () =>
        guarded(async () => answer(core, hooks, { request, caller, ...find(request.method, pathname) })),
      );
    }),
  );
}

/** Turns what is thrown into a reply. */
function refusing(behaviour: Behaviour) {
  return async <T>(reply: () => Promise<T>): Promise<T | Reply> => {
    try {
      return await reply();
    } catch (error) {
      return behaviour(() => refusalReply(error), null);
    }
  };
}

interface Authentic extends Found {
  readonly request: Received;
  readonly caller: KeyRecord;
}

function answer(core: Core, hooks: AppHooks, { request, caller, route, params }: Authentic): Reply {
  const { body, url } = request;
  if (body instanceof Refusal) throw body;
  if (route.scoped && caller.scopes.length > 0 && !caller.scopes.includes('agents.run')) {
    throw new Refusal(403, 'The API key lacks the scope agents.run.');
  }
  const happened = core.engine.settle(core.clock().getTime());
  const isChange = route.method !== 'GET';
  if (isChange) hooks.lag.beforeChange();
  const world = isList(route) ? hooks.lag.listed() : core.world;
  const exchange: Exchange = {
    core: { ...core, world },
    route,
    call: { params, query: url.searchParams, body, caller },
  };
  const reply = hooks.behaviour(() => handle(exchange), exchange);
  const changed = isChange && reply.status < 400;
  if (changed) hooks.lag.afterChange();
  if (changed || happened) hooks.save();
  return reply;
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
