import { basename, resolve } from 'node:path';
import { type DeclaredProtection, readCommitted } from '../inventory/committed.js';
import { fileStore } from '../inventory/file-store.js';
import { gitStore } from '../inventory/git-store.js';
import type { LeaseOptions } from '../inventory/lock-state.js';
import { commitOf } from '../inventory/run-history.js';
import { readCheckout, type WorkTree, workTreeOpener } from '../inventory/work-tree.js';
import { isPrefixOf } from '../model/connection.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type {
  AppliedBy,
  Checkout,
  CommittedInventory,
  Inventory,
  InventoryReader,
  InventoryStore,
} from '../model/inventory.js';
import type { ServiceOverride } from '../model/plan.js';
import type { PolicyCheck } from '../model/policy.js';
import { isReadOnly, readOnlyRefusal } from '../model/read-only.js';
import { removalTest } from '../model/removed.js';
import type { Project, Prune } from '../model/resource.js';
import { leftUnread } from '../reconcile/select.js';
import { Redactor } from '../redact/redactor.js';
import { type Client, createClient, type FileOpener, type ReadClient } from '../service/client.js';
import type { Downloads } from '../service/downloads.js';
import type { AttemptEvent } from '../service/http.js';
import { proxyFor } from '../service/proxy.js';
import { apiKeyOf, withKeyHint } from './api-key.js';
import { type Clock, clockOf, serviceNow } from './clock.js';
import { exposedKeys } from './key-files.js';
import { type KeyPlaces, keptKeyWarnings, keysOnDisk } from './keys.js';
import { checkPolicies, type Judged } from './policies.js';
import { openProject, type ProjectOptions, readProject } from './project.js';
import { chooseService, type ServiceOptions, serviceName } from './service-choice.js';
import { type ReadSiblings, siblingReader } from './siblings.js';
import { version } from './version.js';

/** A project together with the service that it is about. The API key is read from ROSTER_API_KEY, or from the file ROSTER_API_KEY_FILE. */
export interface SessionOptions extends ProjectOptions, ServiceOptions {
  /** Whether `warnings` includes the entries and files that were left out. Default: false, the command reports them. */
  readonly saysUnread?: boolean | undefined;
  /** What to do with objects that no entry declares. Default: `prune` of the project. */
  readonly prune?: Prune | undefined;
  /** Requests at once. Default: 10. */
  readonly concurrency?: number | undefined;
  /** For each request. Default: 30,000. */
  readonly timeoutMilliseconds?: number | undefined;
  /** How long rate limits may hold requests back in all. Default: 1,800,000. */
  readonly deadlineMilliseconds?: number | undefined;
  /** Called for each request, without its headers and body. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined;
  /** Called when the service limits requests, with the milliseconds for which none is sent. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  /** Ends the run: requests in flight finish, nothing else is sent or tried again. */
  readonly signal?: AbortSignal | undefined;
}

/** The parts of a session that reach neither the service nor the inventory. */
export interface LocalSession {
  readonly project: Project;
  /** Absolute: the files of places are relative to it. */
  readonly cwd: string;
  /** Origin and base path, as plans name the service. */
  readonly service: string;
  /** Null when the project declares the same service, or none. */
  readonly serviceOverride: ServiceOverride | null;
  /** Throws a Problem for errors in the policies. */
  readonly checkPolicies: () => Promise<PolicyCheck>;
  readonly concurrency: number;
  /** What reading the manifests reported. */
  readonly warnings: readonly Diagnostic[];
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** A session that cannot write: its client only reads, and its inventory can only be loaded. */
export interface ReadSession extends LocalSession {
  readonly client: ReadClient;
  /** Files of the service. They change nothing there. */
  readonly downloads: Downloads;
  readonly store: InventoryReader;
  readonly readCheckout: ReadCheckout;
  /** Null where the inventory is not a file that git has. */
  readonly readCommitted: () => Promise<CommittedInventory | null>;
  /** The other projects of the repository. */
  readonly readSiblings: ReadSiblings;
  readonly exposedKeys: () => ReturnType<typeof exposedKeys>;
  readonly keyPlaces: KeyPlaces;
  /** Absolute paths of the files that the caller writes. */
  readonly outputs: readonly string[];
  /** What time it is by the service's clock, once it has answered; by this machine's before. */
  serviceNow(): Date;
  /** Fires once the run should end. */
  readonly signal: AbortSignal | undefined;
  /** True once the run should end. */
  interrupted(): boolean;
  callsWith(keyPrefix: string): boolean;
}

export interface Session extends ReadSession {
  readonly client: Client;
  readonly store: InventoryStore;
  /** Uses another API key from now on. */
  useKey(key: string): void;
  close(): Promise<void>;
}

/** Like `withSession`, for use cases that change nothing: they get nothing that can write. */
export function withReadSession<T>(
  options: SessionOptions,
  work: (session: ReadSession) => Promise<T>,
): Promise<T> {
  return withAnySession(options, (session) => work(readSessionOf(session)));
}

/** The session without what can write. */
export function readSessionOf({ client, store, useKey: _, close: __, ...rest }: Session): ReadSession {
  return {
    ...rest,
    client: { reader: (guard) => client.reader(guard) },
    store: {
      name: store.name,
      load: () => store.load(),
      holder: () => store.holder(),
      history: store.history?.bind(store),
    },
  };
}

/** Opens a session for as long as `work` takes. Throws a Problem with ROSTER_READ_ONLY. */
export async function withSession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (isReadOnly(options.env)) throw readOnlyRefusal();
  return withAnySession(options, work);
}

/** The same for work that may turn out not to write: with ROSTER_READ_ONLY, its client refuses to. */
export async function withAnySession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = openSession(options);
  try {
    return await work(session);
  } catch (failure) {
    throw withKeyHint(failure, session.project, session.callsWith);
  } finally {
    await session.close();
  }
}

/** Checks all that can be checked without the network, and sends nothing. Throws a Problem. Close it at the end. */
export function openSession(options: SessionOptions): Session {
  const { redactor = new Redactor(), cwd, env, concurrency = 10, signal } = options;
  const { project, warnings, manifests, open, ...judged } = openHere({ ...options, redactor });
  const leftOut = options.saysUnread === true ? leftUnread(project) : [];
  const { url: baseUrl, from, override } = chooseService(options, project);
  const given = apiKeyOf(env, cwd);
  let apiKey = given.key;
  redactor.hide([apiKey]);
  const clock = clockOf(options);
  const timeoutMs = options.timeoutMilliseconds ?? 30_000;
  const client = createClient({
    baseUrl,
    urlFrom: from,
    proxy: proxyFor(baseUrl, env),
    readOnly: isReadOnly(env),
    apiKey,
    concurrency,
    timeoutMs,
    deadlineMs: options.deadlineMilliseconds,
    userAgent: `roster/${version}`,
    secrets: project.secrets,
    onAttempt: options.onAttempt,
    onPause: options.onPause,
    sleep: options.sleep,
    signal,
  });
  // `lost` is asked before each attempt, which ends within the timeout.
  const store = openStore(project, options, { clock, longestRequestMs: timeoutMs }, open);
  return {
    project,
    cwd,
    service: serviceName(baseUrl),
    serviceOverride: override,
    client,
    downloads: downloadsOf(client),
    store,
    readCheckout: checkoutReader(project, manifests, open, store),
    readCommitted: committedReader(project, manifests, { ...options, open }),
    readSiblings: siblingReader({
      project,
      manifests,
      options,
      open,
      service: serviceName(baseUrl),
      overridden: override?.declared ?? null,
    }),
    exposedKeys: () => exposedKeys(project, open),
    keyPlaces: keysOnDisk(project, redactor),
    checkPolicies: policyCheck({ project, ...judged }, options),
    concurrency,
    warnings: [...warnings, ...leftOut, ...given.warnings, ...keptKeyWarnings(project)],
    outputs: (options.outputs ?? []).map(({ file }) => resolve(cwd, file)),
    redactor,
    clock,
    serviceNow: () => serviceNow(clock, client),
    signal,
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

/** A run that plans several times judges the same entries. What `make` needs is released then. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let todo: (() => Promise<T>) | null = make;
  let made: Promise<T> | null = null;
  return () => {
    made ??= todo?.() ?? null;
    todo = null;
    if (made === null) throw new Error('it is made when it is first asked for');
    return made;
  };
}

/** A function of its own, so that a session does not keep what only policies need of the manifests. */
function policyCheck(judged: Judged, options: SessionOptions): () => Promise<PolicyCheck> {
  return once(() => checkPolicies(judged, options));
}

/** With the work tree that it lies in, which is found only when it is needed. */
function openHere(options: SessionOptions) {
  const { project, ...rest } = openProject(options);
  const prune = options.prune ?? project.prune;
  return { ...rest, project: { ...project, prune }, open: workTreeOpener(project.root, options.env) };
}

/** Where the project keeps its inventory: a file, or a branch of a git remote. */
export function openStore(
  project: Project,
  { env, inventory: named }: ProjectOptions,
  lease: LeaseOptions = {},
  open?: () => Promise<WorkTree>,
): InventoryStore {
  const { inventory, root, name, environment, messagePrefix } = project;
  const common = { project: name, environment, env, ...lease };
  if ('file' in inventory)
    return fileStore({ path: resolve(root, inventory.file), name: inventory.file, open, ...common });
  const isNamed = (named ?? env['ROSTER_INVENTORY']) !== undefined;
  return gitStore({ folder: root, open, isNamed, messagePrefix, ...inventory.git, ...common });
}

/** Null if there is nothing to compare. For recording, it also matters whether the manifests differ from the commit. */
export type ReadCheckout = (inventory: Inventory, purpose: 'compare' | 'record') => Promise<Checkout | null>;

/** Git is started only if there is something to compare or to record. Without the store, nothing is fetched. */
export function checkoutReader(
  { root, inventory: place, prune }: Project,
  manifests: readonly string[],
  open: () => Promise<WorkTree>,
  store: InventoryReader | null = null,
): ReadCheckout {
  const inventoryFile = 'file' in place ? resolve(root, place.file) : null;
  const remote = store !== null && 'git' in place ? place.git.remote : null;
  const appliedBy = async (commit: string) => (store === null ? null : whoApplied(store, commit));
  return async ({ commit }, purpose) => {
    const applied = commit ?? null;
    const deletesUnknown = prune === 'all' && inventoryFile !== null;
    if (applied === null && purpose === 'compare' && !deletesUnknown) return null;
    const records = purpose === 'record';
    return readCheckout({ open, files: manifests, records, inventoryFile, remote, appliedBy }, applied);
  };
}

/** The last run from this commit. */
async function whoApplied(store: InventoryReader, commit: string): Promise<AppliedBy | null> {
  const history = await store.history?.();
  if (history === undefined) return null;
  const found = [...history.commits].reverse().find(({ message }) => commitOf(message) === commit);
  return found === undefined ? null : { name: found.author.name, at: found.time };
}

function committedReader(
  { root, inventory: place }: Project,
  manifests: readonly string[],
  options: ProjectOptions & { readonly open: () => Promise<WorkTree> },
): Session['readCommitted'] {
  const [manifest] = manifests;
  if (!('file' in place) || manifest === undefined) return async () => null;
  const { open, env } = options;
  const at = { manifest, manifests, path: resolve(root, place.file), name: place.file };
  const declared = (folder: string) => declaredIn(folder, basename(manifest), options);
  const former = env['ROSTER_FORMER_COMMIT'];
  return () => readCommitted({ open, env, ...at, former, declared });
}

/** What the manifests of another commit say of protection. */
function declaredIn(folder: string, file: string, options: ProjectOptions): DeclaredProtection | null {
  const { outputs: _, redactor: __, ...rest } = options;
  const { project } = readProject({ ...rest, cwd: folder, file, allowMissingEnv: true });
  if (project === null) return null;
  const entries = new Map(project.entries.map(({ address, protect }) => [address, protect] as const));
  return { entries, removes: removalTest(project) };
}

/** Hardly any command downloads a file: what that needs is loaded with the first one. */
function downloadsOf(client: FileOpener): Downloads {
  return {
    async download(call, maxBytes) {
      const { download } = await import('../service/downloads.js');
      return download(client, call, maxBytes);
    },
  };
}
