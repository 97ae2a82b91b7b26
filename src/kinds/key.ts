import { byCodeUnit } from '../model/json.js';
import type { Kind, ReadContext, RiskInputs } from '../model/kind.js';
import type { Delivery, Observed } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import * as keys from '../service/operations/keys.js';
import { ageProblem, parseAge } from '../timing/interval.js';
import type { KeyEntry } from './generated/entries.js';
import { normalText, text, wordSet } from './rules.js';

export interface KeyDeclared {
  readonly name: string;
  /** Empty for `full`. */
  readonly scopes: readonly string[];
  readonly rotateAfter: { readonly text: string; readonly milliseconds: number } | null;
  readonly deliver: Delivery['to'];
}

export interface KeySpec {
  readonly name: string;
  /** Empty means the user's full access (interface §5.8). */
  readonly scopes: readonly string[];
}

const unitMilliseconds = { Minutes: 60_000, Hours: 3_600_000, Days: 86_400_000, Weeks: 604_800_000 } as const;

/**
 * API keys (interface §2, §5). They cannot be changed, only created and revoked; creating one revokes the key that
 * the user works with; and the list may show no ids, so that a key may be known by its name alone.
 */
export const key: Kind<KeyDeclared, KeySpec> = {
  name: 'key',
  section: 'keys',
  after: [],
  last: true,

  read: (entry, name, context) => readKey(entry as KeyEntry, name, context),
  refersTo: () => [],
  links: () => ({ field: 'name', to: [], ordered: false }),
  declaredIdentity: (declared) => normalText(declared.name),

  list: () => {
    const call = keys.listKeys();
    return { ...call, parse: (item) => observe(call.parse(item)) };
  },
  detail: null,

  exists: (observed) => observed.facts['gone'] !== true,
  resolve: (entry) => ({ name: entry.declared.name, scopes: entry.declared.scopes }),
  fields: {
    name: text(),
    scopes: {
      ...wordSet,
      show: (scopes, names) => (scopes.length === 0 ? 'full' : wordSet.show(scopes, names)),
    },
  },
  identityFields: ['name'],
  identity: (spec) => normalText(spec.name),
  observedIdentity: (observed) => (observed.name === null ? null : normalText(observed.name)),
  describe: (spec) => `named "${spec.name}"`,
  notSettableOnCreate: [],
  similarIn: [],
  targets: () => [],
  agents: () => [],
  starts: () => 0,

  create(spec, entry) {
    const scopes = [...spec.scopes].sort(byCodeUnit);
    const request = keys.createKey({ name: spec.name, ...(scopes.length === 0 ? {} : { scopes }) });
    return [{ request, delivery: { to: entry.declared.deliver, scopes } }];
  },
  update: () => {
    throw new Error('keys cannot be changed in place');
  },
  remove: (target) => [{ request: keys.revokeKey(target.id) }],
  bulk: null,
  createdId: (data) => keys.createdKey(data)?.id ?? null,
  secret: {
    of: (data) => {
      const created = keys.createdKey(data);
      return created === null ? null : { value: created.key, id: created.id, scopes: created.scopes };
    },
    deliverTo: (declared) => (declared as KeyDeclared).deliver,
    scopesOf: (observed) => observed.spec?.scopes ?? [],
  },
  requiresReplace: (changed) => changed.size > 0,
  rotationDue(entry, observed, now) {
    const created = Date.parse(String(observed.facts['createdDate'] ?? ''));
    const { rotateAfter } = entry.declared;
    if (rotateAfter === null || Number.isNaN(created)) return null;
    if (now.getTime() - created < rotateAfter.milliseconds) return null;
    return `it was created at ${new Date(created).toISOString()}, more than ${rotateAfter.text} ago (rotateAfter)`;
  },
  expired: () => null,
  risks: keyRisks,
  revokesCaller: (action, observed) => action !== 'delete' || (observed?.caller ?? false),
  timetable: null,
  // Prefixes of keys are left out: a snapshot is for those who have none.
  saved: { facts: ['createdDate', 'lastUsedDate'], hashed: [], placeholder: { name: '', scopes: [] } },
};

/** Which key stops working, and what the new one may do that none could before. */
function keyRisks({ observed, after, hides }: RiskInputs<KeySpec>): readonly Risk[] {
  const stops =
    observed === null ? [] : [`${hides('name') ? 'the key' : keyInWords(observed)} stops working`];
  const wider =
    after === null || hides('scopes') ? [] : widerScopes(observed?.spec?.scopes ?? null, after.scopes);
  return [
    ...stops.map((message) => ({ code: 'key', message }) as const),
    ...wider.map((message) => ({ code: 'scopes', message }) as const),
  ];
}

function keyInWords({ name, facts: { keyPrefix, lastUsedDate } }: Observed<KeySpec>): string {
  const used = typeof lastUsedDate === 'string' ? `last used ${lastUsedDate}` : 'no use of it is known';
  return `the key "${name ?? ''}" (${typeof keyPrefix === 'string' ? `${keyPrefix}…, ` : ''}${used})`;
}

/** Null before there was a key. No scopes are all scopes. */
function widerScopes(before: readonly string[] | null, after: readonly string[]): string[] {
  if (after.length === 0) return before?.length === 0 ? [] : ["has its user's full access"];
  if (before === null || before.length === 0) return [];
  const added = after.filter((scope) => !before.includes(scope));
  return added.length === 0 ? [] : [`may do more than before: ${added.join(', ')}`];
}

function readKey(entry: KeyEntry, name: string, context: ReadContext): KeyDeclared {
  const { rotateAfter, deliver } = entry;
  return {
    name: entry.name ?? name,
    scopes: readScopes(entry.scopes, context),
    rotateAfter: rotateAfter === undefined ? null : readRotation(rotateAfter, context),
    deliver: deliver === undefined ? null : readDelivery(deliver, context),
  };
}

/** The schema has seen to it that there is exactly one of the two. */
function readDelivery(
  { file, command }: NonNullable<KeyEntry['deliver']>,
  context: ReadContext,
): Delivery['to'] {
  if (file === undefined) return { command: command ?? [] };
  // An `include` could take it for a manifest, and the next error in it would show the key.
  const why = context.isOwn(file)
    ? `"${file}" is a file of the project itself`
    : /\.ya?ml$/i.test(file)
      ? `"${file}" has the name of a manifest`
      : null;
  if (why !== null) {
    const help = 'Name a file of its own, such as .secrets/ci.key, and keep it out of git.';
    context.tell('error', 'undeliverable-key', ['deliver', 'file'], why, help);
  }
  return { file };
}

const fullInList = '`full` is no scope name, but stands in the stead of the whole list';
const fullHelp = "For the user's full access write `scopes: full`.";

/** A scope that the service does not know is dropped by it, and a key with none left has full access (interface §5.8). */
function readScopes(scopes: string | readonly string[] | undefined, context: ReadContext): readonly string[] {
  if (scopes === undefined || typeof scopes === 'string') return [];
  scopes.forEach((scope, index) => {
    if (context.scopes.includes(scope)) return;
    const tell = (message: string, help: string) =>
      context.tell('error', 'unknown-scope', ['scopes', index], message, help);
    if (scope === 'full') {
      tell(fullInList, fullHelp);
      return;
    }
    const near = context.nearest(scope, context.scopes);
    const hint = near === null ? `Known scopes: ${context.scopes.join(', ')}.` : `Did you mean "${near}"?`;
    const help = `${hint} A scope this list lacks goes into \`scopes:\` of roster.yaml first.`;
    tell(`"${scope}" is not a known scope`, help);
  });
  return [...new Set(scopes)].sort(byCodeUnit);
}

function readRotation(text: string, context: ReadContext): KeyDeclared['rotateAfter'] {
  const trouble = ageProblem(text, context.nearest);
  if (trouble !== null) context.tell('error', 'invalid-time', ['rotateAfter'], trouble.message, trouble.help);
  const interval = parseAge(text);
  return interval && { text, milliseconds: interval.value * unitMilliseconds[interval.unit] };
}

function observe(remote: keys.RemoteKey): Observed<KeySpec> {
  return {
    kind: 'key',
    id: remote.id,
    rawId: remote.id,
    name: remote.name,
    // Revoking needs an id, and the interface's list shows none in some readings (interface §2 API key).
    manageable: remote.id !== null,
    caller: false,
    facts: {
      keyPrefix: remote.keyPrefix,
      createdDate: remote.createdDate,
      lastUsedDate: remote.lastUsedDate,
      gone: !remote.isActive || remote.isRevoked,
    },
    spec: { name: remote.name ?? '', scopes: [...(remote.scopes ?? [])].sort(byCodeUnit) },
  };
}
