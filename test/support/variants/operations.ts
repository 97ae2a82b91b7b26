import type { Exchange } from '../../../src/sandbox/index.js';

/** What a route does, as the variants tell routes apart. */

/** `run`: everything about jobs, runs and data, which no variant changes. */
export type ObjectKind = 'agent' | 'group' | 'pipeline' | 'schedule' | 'key' | 'run';
export type Action =
  | 'list'
  | 'page'
  | 'read'
  | 'create'
  | 'update'
  | 'enable'
  | 'delete'
  | 'upcoming'
  | 'preview'
  | 'run'
  | 'bulk'
  | 'other';

export interface Operation {
  readonly kind: ObjectKind;
  readonly action: Action;
}

const KINDS: readonly (readonly [string, ObjectKind])[] = [
  ['/api/scraper-agents', 'agent'],
  ['/api/search-groups', 'group'],
  ['/api/pipelines', 'pipeline'],
  ['/api/schedules', 'schedule'],
  ['/api/api-keys', 'key'],
];

const ACTIONS: Readonly<Record<string, Action>> = {
  'GET ': 'list',
  'GET /page': 'page',
  'GET /upcoming': 'upcoming',
  'GET /:id': 'read',
  'POST ': 'create',
  'POST /preview': 'preview',
  'POST /:id/run': 'run',
  'POST /:id/enabled': 'enable',
  'PUT /:id': 'update',
  'PUT /:id/members': 'update',
  'PUT /:id/steps': 'update',
  'DELETE /:id': 'delete',
  'POST /bulk/enabled': 'bulk',
  'POST /bulk/delete': 'bulk',
};

export function operationOf({ method, path }: Exchange['route']): Operation {
  const [base = '', kind] = KINDS.find(([prefix]) => path.startsWith(prefix)) ?? [];
  const action = ACTIONS[`${method} ${path.slice(base.length)}`];
  if (kind !== undefined && action !== undefined) return { kind, action };
  return { kind: 'run', action: 'other' };
}

/** Actions whose response body interface.md does not show (end of §4). It shows those of creating schedules and keys. */
export function hasUnspecifiedBody({ kind, action }: Operation): boolean {
  if (kind === 'group' || kind === 'pipeline') return ['create', 'update', 'delete'].includes(action);
  if (kind === 'schedule') return ['update', 'enable', 'delete'].includes(action);
  return kind === 'key' && action === 'delete';
}
