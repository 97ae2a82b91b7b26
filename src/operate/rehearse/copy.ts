import type { KeyPlaces } from '../../engine/keys.js';
import type { LocalSession, Session } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { isPrefixOf } from '../../model/connection.js';
import { isHidden, unhidden } from '../../model/digest.js';
import type { Inventory, InventoryStore } from '../../model/inventory.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { type Kind, rawValue } from '../../model/kind.js';
import type { Observed } from '../../model/resource.js';
import type { Comparison } from '../../reconcile/world.js';
import {
  type CopiedObject,
  type CopiedService,
  copyInto,
  type Fault,
  type Sandbox,
  startSandbox,
} from '../../sandbox/index.js';
import { type Client, createClient } from '../../service/client.js';
import type { ObservedState } from '../../service/observe.js';

/** What a plan was made from. */
export interface Rehearsed {
  readonly session: LocalSession;
  readonly state: ObservedState;
  readonly inventory: Inventory;
  readonly comparison: Comparison;
}

/** The service and the inventory as they were read, in this process. What happens to them reaches nothing else. */
export interface Copy {
  session(life: Life): Session;
  /** How many writes were sent. */
  writes(): number;
  close(): Promise<void>;
}

/**
 * An apply that is killed as soon as a number of its writes have been answered. It sees none of the last responses, and loses
 * everything that it sends or saves after that.
 */
export class Life {
  readonly killed: Promise<void>;
  #kill: () => void = () => {};
  #open = 0;

  constructor(private writesLeft = Number.POSITIVE_INFINITY) {
    this.killed = new Promise((resolve) => {
      this.#kill = resolve;
    });
  }

  get isOver(): boolean {
    return this.writesLeft === 0;
  }

  async write<T>(send: () => Promise<T>): Promise<T> {
    if (this.isOver) return never();
    this.writesLeft -= 1;
    this.#open += 1;
    try {
      return await send();
    } finally {
      this.#open -= 1;
      // The next run must not meet a request of this one that is still on its way.
      if (this.isOver && this.#open === 0) this.#kill();
      if (this.isOver) await never();
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

const REQUESTS_AT_ONCE = 10;
const TIMEOUT_MS = 30_000;

export async function copyOf(rehearsed: Rehearsed, faults: readonly Fault[]): Promise<Copy> {
  const { session: local, inventory, comparison } = rehearsed;
  const began = local.clock.now().getTime();
  let slept = 0;
  const now = () => new Date(began + slept);
  // Nobody waits for a copy: its clock goes forward at once.
  const sleep = async (milliseconds: number) => {
    slept += milliseconds;
  };
  const habits = habitsOf(comparison);
  const sandbox = await startSandbox({
    seed: { agents: [] },
    clock: now,
    faults: { faults },
    behaviour: (reply) => {
      const replied = reply();
      // The next read shows what the service has made of the text.
      for (const habit of habits) habit(sandbox.world);
      return replied;
    },
  });
  copyInto(sandbox.world, copiedService(rehearsed), now());
  const store = storeInMemory(inventory);
  const clients: Client[] = [];
  let writes = 0;
  return {
    session(life) {
      let apiKey = sandbox.world.apiKey;
      const common = { baseUrl: sandbox.url, concurrency: REQUESTS_AT_ONCE, timeoutMs: TIMEOUT_MS };
      const opened = createClient({ ...common, apiKey, userAgent: 'roster', sleep });
      clients.push(opened);
      const client = mortal(opened, (send) =>
        life.write(() => {
          writes += 1;
          return send();
        }),
      );
      return {
        ...local,
        // Neither git nor a destination of a key is looked at: the plan was judged by them, and is applied nowhere else.
        readCheckout: async () => null,
        readCommitted: async () => null,
        exposedKeys: async () => new Map(),
        readSiblings: async () => comparison.basis.siblings,
        client,
        downloads: noDownloads,
        store: store(life),
        keyPlaces: keysInMemory,
        outputs: [],
        clock: { now, monotonic: () => slept, sleep },
        serviceNow: now,
        signal: undefined,
        interrupted: () => false,
        callsWith: (prefix) => isPrefixOf(prefix, apiKey),
        useKey(key) {
          apiKey = key;
          client.useKey(key);
        },
        close: () => client.close(),
      };
    },
    writes: () => writes,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await sandbox.close();
    },
  };
}

/** What the service makes of a text that is written, for all objects of one kind. */
type Habit = (world: Sandbox['world']) => void;

const TEXT_HABITS: readonly ((text: string) => string)[] = [
  (text) => text.trim().replace(/\s+/g, ' '),
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
];

/** A text that was applied, and that the service shows otherwise, tells what the service does to such texts. */
function habitsOf({ matches }: Comparison): readonly Habit[] {
  const habits = new Map<string, Habit>();
  for (const { kind, observed, record } of matches) {
    if (observed?.spec == null || record === null) continue;
    for (const field of Object.keys(kind.fields)) {
      const [applied, shown] = [record.applied[field], rawValue(observed.spec, field)];
      if (typeof applied !== 'string' || typeof shown !== 'string' || applied === shown) continue;
      const habit = TEXT_HABITS.find((each) => each(applied) === shown);
      if (habit !== undefined)
        habits.set(`${kind.section} ${field}`, (world) => rewrite(world, kind, field, habit));
    }
  }
  return [...habits.values()];
}

function rewrite(
  world: Sandbox['world'],
  { section }: Kind,
  field: string,
  habit: (text: string) => string,
): void {
  const records = (world as unknown as Readonly<Record<string, unknown>>)[section];
  if (!(records instanceof Map)) return;
  for (const record of records.values()) {
    const value = record[field];
    if (typeof value === 'string') record[field] = habit(value);
  }
}

/** Each write of it goes through `write`. */
function mortal(client: Client, write: Life['write']): Client {
  return {
    reader: (guard) => client.reader(guard),
    read: (call) => client.read(call),
    readAll: (call) => client.readAll(call),
    send: (request, guard) => write(() => client.send(request, guard)),
    open: (request, take) => client.open(request, take),
    useKey: (key) => client.useKey(key),
    close: () => client.close(),
    serviceTime: () => client.serviceTime(),
    stats: client.stats,
  };
}

/** A copy has no files of datasets. */
const noDownloads: Session['downloads'] = {
  download: () => Promise.reject(new Error('a copy of the service has no files')),
};

/** New keys are kept by nobody: they open the copy alone. */
const keysInMemory: KeyPlaces = {
  undeliverable: () => new Map(),
  keeping: () => ({
    keep: (address, key) => ({ address, key, path: null, retried: false }),
    kept: (address) => ({ address, key: '', path: null, retried: false }),
    deliver: async () => {},
    withdraw: () => {},
    discard: () => {},
  }),
  kept: () => new Map(),
};

/** The lock of a run that was killed does not stay. */
function storeInMemory(inventory: Inventory): (life: Life) => InventoryStore {
  let current = inventory;
  return (life) => ({
    name: 'the copy of the inventory',
    load: async () => current,
    holder: async () => null,
    lock: async () => ({
      save(saved) {
        if (life.isOver) return never();
        current = saved;
        return Promise.resolve();
      },
      current: () => current,
      release: async () => {},
      lost: () => false,
    }),
    lockedBy: () => Promise.reject(new Error('a copy of the inventory is never locked')),
    unlock: async () => {},
  });
}

function copiedService({ session: { project }, state, comparison }: Rehearsed): CopiedService {
  const agents = state.agents.map(({ id, externalAgentId, name, inputKeys }) => ({
    id,
    externalAgentId,
    name,
    inputParameters: inputKeys.map((key) => ({ key, defaultValue: '' })),
  }));
  const wanted = new Map(
    comparison.diffs.flatMap(({ match: { observed, entry }, change }) =>
      observed === null || entry === null ? [] : [[observed, { spec: entry.spec, fields: change.fields }]],
    ),
  );
  const objects = kinds.map((kind) => {
    const all = (state.objects.get(kind.name) ?? []).flatMap((observed) => {
      const copied = copiedObject(kind, {
        ...observed,
        spec: knownSpec(kind, observed, wanted.get(observed)),
      });
      return copied === null ? [] : [copied];
    });
    return [kind.section, all] as const;
  });
  return { agents, objects: new Map(objects), scopes: project.scopes };
}

interface DesiredFields {
  readonly spec: unknown;
  readonly fields: readonly { readonly path: string }[];
}

/**
 * A snapshot hides values from the environment. Where a plan takes such a value for unchanged, the copy has the declared
 * one, and any other text where it is to be changed.
 */
function knownSpec(
  kind: Kind,
  { spec, withheld = [] }: Observed,
  wanted: DesiredFields | undefined,
): unknown {
  if (spec === null) return null;
  const known = Object.keys(kind.fields).map((field) => {
    const value = rawValue(spec, field);
    if (!withheld.includes(field) && !hidesSomething(value as Json)) return [field, value];
    const isChanged = wanted?.fields.some(({ path }) => path === field || path.startsWith(`${field}.`));
    return [
      field,
      wanted === undefined || isChanged ? unhidden(value as Json) : rawValue(wanted.spec, field),
    ];
  });
  return Object.fromEntries(known);
}

function hidesSomething(value: Json): boolean {
  return isHidden(value) || (isJsonObject(value) && Object.values(value).some(isHidden));
}

/** Null for what the service shows no content of. An update of every field sends all that is written of an object. */
function copiedObject(kind: Kind, observed: Observed): CopiedObject | null {
  const { id, rawId, spec, name, manageable, caller, facts } = observed;
  if (id === null || rawId === null || spec === null) return null;
  const existing = { id, rawId, before: spec };
  const requests = kind.update?.(existing, spec, new Set(Object.keys(kind.fields))) ?? [];
  const body: JsonObject = Object.assign({}, ...requests.map(({ request }) => request.body));
  return {
    id,
    name,
    canManage: manageable !== false,
    body: kind.update === undefined ? (spec as JsonObject) : body,
    isCallers: caller,
    createdDate: typeof facts['createdDate'] === 'string' ? facts['createdDate'] : undefined,
  };
}
