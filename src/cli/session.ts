import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { undeliverable } from '../apply/deliver.js';
import { fileStore } from '../inventory/file-store.js';
import { gitStore } from '../inventory/git-store.js';
import { kinds } from '../kinds/index.js';
import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Inventory, InventoryStore } from '../model/inventory.js';
import { isPrefixOf } from '../model/key-prefix.js';
import { type KindName, normalId, type Project } from '../model/resource.js';
import type { Allowances } from '../reconcile/guard.js';
import { asksOf, withNextRuns } from '../reconcile/next-runs.js';
import { type Reconciled, reconcile } from '../reconcile/plan.js';
import type { Selector } from '../reconcile/select.js';
import { checkApiKey } from '../service/api-key.js';
import { type Client, createClient } from '../service/client.js';
import { type ObservedState, type ObserveScope, observe } from '../service/observe.js';
import { askAll } from '../service/previews.js';
import { serviceUrl } from '../service/url.js';
import { backedUpKeys } from './backed-up-keys.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { type CommonFlags, chooseConcurrency, choosePrune, chooseTimeout, type Host } from './settings.js';
import { version } from './version.js';

/** A project and the service that it speaks of. */
export interface Session {
  readonly project: Project;
  readonly service: string;
  readonly client: Client;
  readonly store: InventoryStore;
  readonly concurrency: number;
  readonly warnings: readonly Diagnostic[];
  /** Switches to a new key for the rest of the run. */
  useKey(key: string): void;
  callsWith(keyPrefix: string): boolean;
  sleep(milliseconds: number): Promise<void>;
  now(): Date;
}

/** Everything that can be checked without the network is checked here, before the first request. */
export function openSession(flags: CommonFlags, host: Host, output: Output, signal?: AbortSignal): Session {
  const { project, diagnostics } = load(flags, host, output);
  if (project === null) throw new Problem(diagnostics);
  const baseUrl = serviceOf(flags, host, project);
  let apiKey = keySetting(host);
  output.hide([apiKey]);
  const concurrency = chooseConcurrency(flags);
  const client = createClient({
    baseUrl,
    apiKey,
    concurrency,
    timeoutMs: chooseTimeout(flags),
    userAgent: `roster/${version}`,
    ...(signal === undefined ? {} : { signal }),
    sleep: host.sleep,
  });
  return {
    project: { ...project, prune: choosePrune(flags, project.prune) },
    service: serviceName(baseUrl),
    client,
    store: openStore(project, host.env),
    concurrency,
    warnings: [...diagnostics, ...backedUpKeys(project)],
    useKey(key) {
      apiKey = key;
      output.hide([key]);
      client.useKey(key);
    },
    callsWith: (keyPrefix) => isPrefixOf(keyPrefix, apiKey),
    sleep: host.sleep ?? sleep,
    now: host.now ?? (() => new Date()),
  };
}

export function openStore(project: Project, env: Host['env']): InventoryStore {
  const { inventory, root, name, environment } = project;
  if ('file' in inventory) return fileStore(resolve(root, inventory.file), inventory.file, name, environment);
  return gitStore({ folder: root, ...inventory.git, project: name, environment, env });
}

/** The flag, then the variable, then the manifest (contract §2). Throws a Problem when none of them says it. */
function serviceOf(flags: CommonFlags, host: Host, project: Project): URL {
  const found = serviceIfSet(flags, host, project);
  if (found !== null) return found;
  const help = `Add \`service: { url: https://… }\` to ${project.file}, set ROSTER_URL, or use --url.`;
  throw problem('missing-setting', 'no service URL is set', help);
}

export function serviceIfSet(flags: CommonFlags, host: Host, project: Project): URL | null {
  const { env } = host;
  if (flags.url !== undefined) return serviceUrl(flags.url, env, 'the URL of --url');
  const variable = env['ROSTER_URL'] ?? '';
  if (variable !== '') return serviceUrl(variable, env, 'the URL of ROSTER_URL');
  return project.url === null ? null : serviceUrl(project.url, env, 'service.url');
}

/** The service's origin and base path, as plans name it. */
export function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function keySetting(host: Host): string {
  const key = host.env['ROSTER_API_KEY'];
  if (key !== undefined && key !== '') return checkApiKey(key);
  throw problem(
    'missing-setting',
    'ROSTER_API_KEY is not set',
    'Set it to an API key of the service; there is no flag for it.',
  );
}

export interface Observation {
  readonly inventory: Inventory;
  readonly state: ObservedState;
  readonly reconciled: Reconciled;
}

export interface PlanOptions {
  readonly allow?: Allowances;
  readonly selectors?: readonly Selector[] | null;
  /** Tries whether new keys could be written where they go, rather than look at rights alone. */
  readonly proveDeliveries: boolean;
  /** Files that this run writes: a key must not go there. */
  readonly outputs?: readonly string[];
  /** Taken instead of the stored one. */
  readonly inventory?: Inventory;
  /** Adds when what is new or changed will run next, and lets the service say what it would refuse. */
  readonly previews: boolean;
  /** Reads all that there is, and not only what this plan rests on. */
  readonly everything?: boolean;
}

const allowNothing: Allowances = { deletes: null, selfRevoke: false, empty: false, accountChange: false };

/** Reads the inventory and the service, and plans. Sends reads only: it is handed the client's reader. */
export async function makePlan(session: Session, options: PlanOptions): Promise<Observation> {
  const { project, service } = session;
  const inventory = options.inventory ?? (await session.store.load());
  const wanted = observeScope(project, inventory, options.everything === true);
  const state = await observe(session.client.reader(), kinds, wanted, session.callsWith);
  const now = session.now();
  const reconciled = reconcileWith({ project, service, state, inventory, now }, options);
  if (!options.previews) return { inventory, state, reconciled };
  return { inventory, state, reconciled: await previewed(session, state, reconciled, now) };
}

export interface PlanInputs {
  readonly project: Project;
  readonly service: string;
  readonly state: ObservedState;
  readonly inventory: Inventory;
  readonly now: Date;
}

/** The plan for what was observed, now or when a snapshot was taken. */
export function reconcileWith(
  { project, service, state, inventory, now }: PlanInputs,
  options: Pick<PlanOptions, 'allow' | 'selectors' | 'proveDeliveries' | 'outputs'>,
): Reconciled {
  return reconcile({
    project,
    service,
    kinds,
    ...state,
    inventory,
    prune: project.prune,
    now,
    allow: options.allow ?? allowNothing,
    selected: options.selectors ?? null,
    undeliverable: (delivery) =>
      undeliverable(delivery, {
        root: project.root,
        prove: options.proveDeliveries,
        reserved: [...ownFiles(project), ...(options.outputs ?? [])],
      }),
    nearest: suggestWithin(limits.comparisons),
  });
}

async function previewed(
  { client, concurrency }: Session,
  { agents }: ObservedState,
  reconciled: Reconciled,
  now: Date,
): Promise<Reconciled> {
  const { plan, matches } = reconciled;
  if (plan === null) return reconciled;
  const asks = asksOf(plan, matches, agents[0]?.id ?? null);
  const answers = await askAll(client.reader(), asks, concurrency);
  const made = withNextRuns(plan, matches, answers, now);
  return { ...reconciled, plan: made.plan, diagnostics: [...reconciled.diagnostics, ...made.diagnostics] };
}

/** Files that a key must never be written to. */
function ownFiles({ root, inventory }: Project): string[] {
  if (!('file' in inventory)) return [];
  const path = resolve(root, inventory.file);
  return [path, `${path}.lock`];
}

function observeScope(project: Project, inventory: Inventory, everything: boolean): ObserveScope {
  const ids = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  const identities = new Map<KindName, Set<string>>(kinds.map((kind) => [kind.name, new Set()]));
  for (const { kind, id } of inventory.entries.values()) if (id !== null) ids.get(kind)?.add(id);
  for (const { kind, identity } of inventory.drafts.values())
    if (identity !== null) identities.get(kind)?.add(identity);
  for (const entry of project.entries) {
    const identity = kinds.find((kind) => kind.name === entry.kind)?.declaredIdentity(entry.declared) ?? null;
    if (entry.id !== null) ids.get(entry.kind)?.add(normalId(entry.id));
    if (identity !== null) identities.get(entry.kind)?.add(identity);
  }
  return { ids, identities, all: everything || project.prune === 'all' };
}
