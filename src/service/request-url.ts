import type { Request } from '../model/request.js';

const segmentGrammar = /^[A-Za-z0-9._~%-]+$/;

/** The path and query to send, below the service's base path. Throws for a path that could leave `/api/`: a bug. */
export function requestPath(base: URL, path: string, query: Request['query'] | null): string {
  const segments = path.split('/').slice(1);
  const isSafe = segments.every((each) => segmentGrammar.test(each) && !/^(\.|%2e){1,2}$/i.test(each));
  if (!path.startsWith('/api/') || !isSafe)
    throw new Error(`not a path of the service: ${JSON.stringify(path)}`);
  const pairs = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${base.pathname.replace(/\/+$/, '')}${path}${search}`;
}

/** A request in messages. */
export function subjectOf({ method, path }: Request): string {
  return `${method} ${path}`;
}
