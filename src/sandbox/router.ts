import { notFound, Refusal, type Route } from './api.js';

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** All routes of one path. */
interface Path {
  readonly pattern: RegExp;
  readonly methods: ReadonlyMap<string, Route>;
}

/** The first matching path decides: if it lacks the method, no later path is tried. Throws a Refusal. */
export function router(routes: readonly Route[]): (method: string, path: string) => Found {
  const paths = [...new Set(routes.map((route) => route.path))].map((path) => pathOf(path, routes));
  return (method, path) => {
    for (const { pattern, methods } of paths) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const route = methods.get(method === 'HEAD' ? 'GET' : method);
      if (route === undefined) throw notAllowed(method, methods);
      return { route, params: decodedParams(match.groups) };
    }
    throw notFound('The requested path');
  };
}

function pathOf(path: string, routes: readonly Route[]): Path {
  const pattern = new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
  const own = routes.filter((route) => route.path === path);
  return { pattern, methods: new Map(own.map((route) => [route.method, route])) };
}

function notAllowed(method: string, methods: Path['methods']): Refusal {
  const headers = { Allow: [...methods.keys()].join(', ') };
  return new Refusal(405, `The method ${method} is not allowed here.`, undefined, headers);
}

function decodedParams(groups: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decoded(value)]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
