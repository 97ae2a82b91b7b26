import type { Risk } from '../model/finding.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind, Listing, ReadContext, RiskInputs } from '../model/kind.js';
import type { Delivery, Observed } from '../model/resource.js';
import { instantText } from '../model/words.js';
import * as keys from '../service/operations/keys.js';
import { readInstant, UNREADABLE } from '../service/operations/record.js';
import { ageRange, intervalProblem, parseInterval, unitMilliseconds } from '../timing/interval.js';
import type { KeyEntry } from './generated/entries.js';
import { instantOf, normalText, text, wordSet } from './rules.js';

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

/**
 * API keys (interface §2, §5). They cannot be changed, only created and revoked. Creating one revokes the key that the
 * user works with. The list may show no ids: then a key is known by its name only.
 */
export const key: Kind<KeyDeclared, KeySpec> = {
  name: 'key',
  section: 'keys',

  read: (entry, name, context) => readKey(entry as KeyEntry, name, context),
  resolve: (entry) => ({ name: entry.declared.name, scopes: entry.declared.scopes }),
  list: () => {
    const call = keys.listKeys();
    return { ...call, parse: (item) => observe(call.parse(item)) };
  },
  isGone: ({ facts }) => facts['isActive'] === false || facts['isRevoked'] === true,
  fields: {
    name: text(),
    scopes: {
      ...wordSet,
      show: (scopes, names) => (scopes.length === 0 ? 'full' : wordSet.show(scopes, names)),
    },
  },
  identity: {
    fields: ['name'],
    of: ({ name }) => normalText(name),
    ofDeclared: ({ name }) => normalText(name),
    ofObserved: ({ name }) => name && normalText(name),
    describe: ({ name }) => `named "${name}"`,
  },

  listing: listKey,
  entry: {
    defaults: (name) => ({ name }),
    keyWords: ({ name }) => [name],
    comment: (name) => `deliver: { file: .secrets/${name}.key } # where the next key goes`,
  },

  create(spec, entry) {
    const scopes = [...spec.scopes].sort(byCodeUnit);
    const { name } = spec;
    const request = keys.createKey(scopes.length === 0 ? { name } : { name, scopes });
    return [{ request, delivery: { to: entry.declared.deliver, scopes } }];
  },
  createdId: (data) => keys.createdKey(data)?.id ?? null,
  secret: {
    of: (data) => {
      const created = keys.createdKey(data);
      return created && { value: created.key, id: created.id, scopes: created.scopes };
    },
    deliverTo: ({ deliver }) => deliver,
    scopesOf: (observed) => observed.spec?.scopes ?? [],
  },
  remove: ({ id }) => [{ request: keys.revokeKey(id) }],

  rotationDue(entry, observed, now) {
    const created = readInstant(String(observed.facts['createdDate'] ?? ''));
    const { rotateAfter } = entry.declared;
    if (rotateAfter === null || created === null) return null;
    if (now.getTime() - created < rotateAfter.milliseconds) return null;
    return `it was created at ${instantText(new Date(created).toISOString())}, more than ${rotateAfter.text} ago (rotateAfter)`;
  },
  ageUnknown({ declared }, { facts }) {
    if (declared.rotateAfter === null || facts['createdDate'] !== UNREADABLE) return null;
    return 'the service gave a creation time that cannot be read, so its age (rotateAfter) is unknown';
  },
  risks: keyRisks,
  revokesCaller: (action, observed) => action !== 'delete' || (observed?.caller ?? false),
  // The prefix of a key is left out: people without a key may read a snapshot.
  snapshot: { facts: ['createdDate', 'lastUsedDate'], placeholder: { name: '', scopes: [] } },
};

/** Which key stops working, and what the new one can do that the old one could not. */
function keyRisks({ observed, after }: RiskInputs<KeySpec>): readonly Risk[] {
  const stops = observed === null ? [] : [`${describeKey(observed)} stops working`];
  const wider = after === null ? [] : widerScopes(observed?.spec?.scopes ?? null, after.scopes);
  return [
    ...stops.map((message) => ({ code: 'key', message }) as const),
    ...wider.map((message) => ({ code: 'scopes', message }) as const),
  ];
}

function describeKey({ name, facts: { keyPrefix, lastUsedDate } }: Observed<KeySpec>): string {
  const used =
    typeof lastUsedDate === 'string'
      ? `last used ${instantText(lastUsedDate)}`
      : 'never used, according to the service';
  return `the key "${name ?? ''}" (${typeof keyPrefix === 'string' ? `${keyPrefix}…, ` : ''}${used})`;
}

/** `before` is null when there was no key. An empty list means all scopes. */
function widerScopes(before: readonly string[] | null, after: readonly string[]): string[] {
  if (after.length === 0) return before?.length === 0 ? [] : ['has the full access of its user'];
  if (before === null || before.length === 0) return [];
  const added = after.filter((scope) => !before.includes(scope));
  return added.length === 0 ? [] : [`has more scopes than before: ${added.join(', ')}`];
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

/** The schema ensures that there is exactly one of the two. */
function readDelivery(
  { file, command = [], env = [] }: NonNullable<KeyEntry['deliver']>,
  { isOwn, report }: ReadContext,
): Delivery['to'] {
  if (file === undefined) return env.length === 0 ? { command } : { command, env };
  // An `include` could read it as a manifest, and an error message would then show the key.
  const message = isOwn(file)
    ? `"${file}" is a file of the project itself`
    : /\.ya?ml$/i.test(file)
      ? `"${file}" has the name of a manifest`
      : null;
  if (message !== null) {
    const help = 'Choose a file used for nothing else, such as `.secrets/ci.key`, and do not commit it.';
    report({ severity: 'error', code: 'undeliverable-key', path: ['deliver', 'file'], message, help });
  }
  return { file };
}

/** The service drops a scope that it does not know, and a key with no scope left has full access (interface §5.8). */
function readScopes(scopes: string | readonly string[] | undefined, context: ReadContext): readonly string[] {
  if (scopes === undefined || typeof scopes === 'string') return [];
  scopes.forEach((scope, index) => {
    if (context.scopes.includes(scope)) return;
    context.report({
      severity: 'error',
      code: 'unknown-scope',
      path: ['scopes', index],
      ...scopeProblem(scope, context),
    });
  });
  return [...new Set(scopes)].sort(byCodeUnit);
}

/** A longer list is in roster.yaml already. */
const MOST_SCOPES = 10;

function scopeProblem(scope: string, { scopes, suggest }: ReadContext): { message: string; help: string } {
  if (scope === 'full')
    return {
      message: '`full` is not a scope: it replaces the whole list',
      help: "For the user's full access, write `scopes: full`.",
    };
  const closest = suggest(scope, scopes);
  const message = `"${scope}" is not a known scope`;
  // The list replaces the default.
  const all = 'To use a new scope, list it under `scopes:` in roster.yaml, together with all others';
  if (closest !== null) return { message, help: `Did you mean "${closest}"? ${all}.` };
  const example = scopes.length > MOST_SCOPES ? '' : `: \`scopes: [${[...scopes, scope].join(', ')}]\``;
  return { message, help: `Known scopes: ${scopes.join(', ')}. ${all}${example}.` };
}

function readRotation(text: string, { report, suggest }: ReadContext): KeyDeclared['rotateAfter'] {
  const problem = intervalProblem(text, ageRange, suggest);
  if (problem !== null)
    report({ severity: 'error', code: 'invalid-time', path: ['rotateAfter'], ...problem });
  const interval = parseInterval(text, ageRange);
  return interval && { text, milliseconds: interval.value * unitMilliseconds[interval.unit] };
}

function observe(remote: keys.RemoteKey): Observed<KeySpec> {
  return {
    kind: 'key',
    id: remote.id,
    rawId: remote.id,
    name: remote.name,
    // Revoking needs an id, which the list may not show (interface §2 API key).
    manageable: remote.id !== null,
    caller: false,
    facts: {
      keyPrefix: remote.keyPrefix,
      createdDate: remote.createdDate,
      lastUsedDate: remote.lastUsedDate,
      isActive: remote.isActive,
      isRevoked: remote.isRevoked,
    },
    spec: { name: remote.name ?? '', scopes: [...(remote.scopes ?? [])].sort(byCodeUnit) },
  };
}

/** The prefix tells the keys of one name apart. The key itself is never listed. */
function listKey({ spec, facts }: Observed<{ readonly scopes: readonly string[] }>): Listing {
  const scopes = spec?.scopes ?? [];
  const [created, used] = [instantOf(facts['createdDate']), instantOf(facts['lastUsedDate'])];
  const keyPrefix = typeof facts['keyPrefix'] === 'string' ? facts['keyPrefix'] : null;
  return {
    values: {
      scopes: scopes.length === 0 ? 'full' : [...scopes],
      keyPrefix,
      createdDate: created,
      lastUsedDate: used,
    },
    columns: {
      scopes: scopes.length === 0 ? 'full' : scopes.join(', '),
      key: keyPrefix === null ? '-' : `${keyPrefix}…`,
      created: created === null ? '-' : instantText(created),
      'last used': used === null ? '-' : instantText(used),
    },
  };
}
