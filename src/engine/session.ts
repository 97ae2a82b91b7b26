import { resolve } from 'node:path';
import { fileStore } from '../inventory/file-store.js';
import { gitStore } from '../inventory/git-store.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import type { InventoryStore } from '../model/inventory.js';
import { isPrefixOf } from '../model/key-prefix.js';
import type { Project, Prune } from '../model/resource.js';
import { Redactor } from '../redact/redactor.js';
import { type Client, createClient } from '../service/client.js';
import { serviceUrl } from '../service/url.js';
import { apiKeyOf } from './api-key.js';
import { type Clock, clockOf } from './clock.js';
import { keptKeyWarnings } from './kept-keys.js';
import { openProject, type ProjectOptions } from './project.js';
import { version } from './version.js';

/** A project together with the service that it is about. The API key is read from ROSTER_API_KEY, or from the file ROSTER_API_KEY_FILE. */
export interface SessionOptions extends ProjectOptions {
  /** The service. Default: ROSTER_URL, else `service.url` of the project. */
  readonly url?: string | undefined;
  /** What to do with objects that no entry declares. Default: `prune` of the project. */
  readonly prune?: Prune | undefined;
  /** Requests at once. Default: 10. */
  readonly concurrency?: number | undefined;
  /** For each request. Default: 30,000. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Ends the run: requests in flight finish, nothing else is sent or tried again. */
  readonly signal?: AbortSignal | undefined;
}

export interface Session {
  readonly project: Project;
  /** Origin and base path, as plans name the service. */
  readonly service: string;
  readonly client: Client;
  readonly store: InventoryStore;
  readonly concurrency: number;
  /** What reading the manifests reported. */
  readonly warnings: readonly Diagnostic[];
  /** Absolute paths of the files that the caller writes. */
  readonly outputs: readonly string[];
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** True once the run should end. */
  interrupted(): boolean;
  /** Uses another API key from now on. */
  useKey(key: string): void;
  callsWith(keyPrefix: string): boolean;
  close(): Promise<void>;
}

/** Opens a session for as long as `work` takes. */
export async function withSession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = openSession(options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Checks all that can be checked without the network, and sends nothing. Throws a Problem. Close it at the end. */
export function openSession(options: SessionOptions): Session {
  const { redactor = new Redactor(), cwd, env, concurrency = 10, signal } = options;
  const { project, warnings } = openProject({ ...options, redactor });
  const baseUrl = serviceOf(options, project);
  const given = apiKeyOf(env, cwd);
  let apiKey = given.key;
  redactor.hide([apiKey]);
  const client = createClient({
    baseUrl,
    apiKey,
    concurrency,
    timeoutMs: options.timeoutMilliseconds ?? 30_000,
    userAgent: `roster/${version}`,
    signal,
    sleep: options.sleep,
  });
  return {
    project: { ...project, prune: options.prune ?? project.prune },
    service: serviceName(baseUrl),
    client,
    store: openStore(project, env),
    concurrency,
    warnings: [...warnings, ...given.warnings, ...keptKeyWarnings(project)],
    outputs: (options.outputs ?? []).map(({ file }) => resolve(cwd, file)),
    redactor,
    clock: clockOf(options),
    interrupted: () => signal?.aborted === true,
    useKey(key) {
      apiKey = key;
      redactor.hide([key]);
      client.useKey(key);
    },
    callsWith: (keyPrefix) => isPrefixOf(keyPrefix, apiKey),
    close: () => client.close(),
  };
}

/** Where the project keeps its inventory: a file, or a branch of a git remote. */
export function openStore(project: Project, env: SessionOptions['env']): InventoryStore {
  const { inventory, root, name, environment } = project;
  if ('file' in inventory) return fileStore(resolve(root, inventory.file), inventory.file, name, environment);
  return gitStore({ folder: root, ...inventory.git, project: name, environment, env });
}

/** The option, then the variable, then the manifest (contract §2). Throws a Problem when none of them is set. */
function serviceOf(options: SessionOptions, project: Project): URL {
  const found = serviceIfSet(options, project);
  if (found !== null) return found;
  const help = `Add \`service: { url: https://… }\` to ${project.file}, set ROSTER_URL, or use \`--url\`.`;
  throw problem('missing-setting', 'no service URL is set', help);
}

export function serviceIfSet({ url, env }: SessionOptions, project: Project): URL | null {
  if (url !== undefined) return serviceUrl(url, env, '`--url`');
  const variable = env['ROSTER_URL'] ?? '';
  if (variable !== '') return serviceUrl(variable, env, '`ROSTER_URL`');
  return project.url === null ? null : serviceUrl(project.url, env, 'service.url');
}

/** The service's origin and base path, as plans name it. */
export function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
