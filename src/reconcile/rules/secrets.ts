import type { Diagnostic } from '../../model/diagnostic.js';
import { type Finding, note, refusal } from '../../model/finding.js';
import type { Action } from '../../model/plan.js';
import type { Declared, Observed } from '../../model/resource.js';
import { instantText, namedIds } from '../../model/words.js';
import { keptDelivery, revokesCaller } from '../diff.js';
import type { PlanBasis, ResourceDiff, Rule, World } from '../world.js';

/** What the plan does to secrets such as API keys: which of them stop working, and which cannot be revoked or delivered. */
export const secrets: Rule = {
  name: 'secrets',
  stops: ({ diffs }) => diffs.flatMap(notRevocable),
  examine: (world) => [
    ...selfRevoke(world),
    ...severalNewKeys(world),
    ...world.diffs.flatMap(deliversKept),
    ...world.diffs.flatMap((each) => exposed(each, world.basis)),
    ...namesakesOfKept(world),
  ],
};

/** A key that the list shows without an id (interface §2, API key), and that does not end by itself. */
function notRevocable({ match, change: { action, address } }: ResourceDiff): Diagnostic[] {
  const { observed, entry, kind } = match;
  if (observed === null || observed.id !== null) return [];
  // Creating a key revokes the key that makes the request (interface §5.5).
  if (action !== 'delete' && (action !== 'replace' || observed.caller)) return [];
  const message = `the service lists the ${kind.name} "${observed.name ?? address}" without an id, so roster cannot revoke it`;
  const help = 'Revoke it in the dashboard (account menu, API keys), then run the command again.';
  const error = { severity: 'error', code: 'not-manageable', message, help, address } as const;
  return [entry === null ? error : { ...error, place: entry.source }];
}

const doing: Readonly<Partial<Record<Action, string>>> = {
  create: 'creating',
  replace: 'replacing',
  delete: 'deleting',
};

function selfRevoke({ diffs, basis }: World): Finding[] {
  const caller = describeCaller(basis.objects);
  return diffs.filter(revokesCaller).flatMap(({ change: { address, action }, match: { observed } }) => {
    const message = `${address}: ${doing[action] ?? action} this key revokes the API key that roster uses`;
    const help =
      action === 'delete'
        ? 'Set `ROSTER_API_KEY` to another key. If nobody needs this one, use `--allow-self-revoke`.'
        : 'Make sure that everyone who needs the new key gets it, then use `--allow-self-revoke`.';
    // Where the change is that of the key itself, its risks already describe the key.
    const isItself = caller.only !== null && caller.only === observed;
    const ends = isItself ? 'roster uses this key' : `revokes ${caller.description}`;
    return [refusal('not-allowed', address, message, help, 'selfRevoke'), note(address, ends)];
  });
}

/** The key that roster uses. */
interface Caller {
  /** Null where it is not known which key that is. */
  readonly only: Observed | null;
  readonly description: string;
}

function describeCaller(objects: PlanBasis['objects']): Caller {
  const callers = [...objects.values()].flat().filter((each) => each.caller);
  const [only] = callers;
  if (only === undefined || callers.length > 1)
    return { only: null, description: 'the key that roster uses' };
  const { lastUsedDate: lastUsed, keyPrefix: prefix } = only.facts;
  const about = [
    ...(typeof prefix === 'string' ? [`${prefix}…`] : []),
    ...(typeof lastUsed === 'string' ? [`last used ${instantText(lastUsed)}`] : []),
  ];
  const known = about.length === 0 ? '' : ` (${about.join(', ')})`;
  return { only, description: `the key "${only.name ?? ''}"${known}, which roster uses` };
}

/**
 * Each new key revokes every active key of its user (interface §5.5): of two that are created, only the second would
 * remain, and of one beside another that is declared, only the new one. That the other one exists is enough, whether it
 * was selected or not.
 */
function severalNewKeys({ diffs, matches }: World): Finding[] {
  const creating = diffs.filter(({ requests }) => requests.some(({ delivery }) => delivery !== undefined));
  const [first] = creating;
  if (first === undefined) return [];
  const made = new Set(creating.map(({ change }) => change.address));
  const ended = matches.filter(
    ({ kind, entry, broken, observed, address }) =>
      kind.secret !== undefined &&
      (entry !== null || broken !== undefined) &&
      observed !== null &&
      !made.has(address),
  );
  const help =
    'Remove all but one of them from the manifests: each user has one active key. For a second key, use a separate project with the API key of another user.';
  const refuse = (message: string) => [refusal('several-new-keys', null, message, help)];
  if (creating.length > 1)
    return refuse(`${[...made].join(' and ')} would be created, and each new key revokes the previous one`);
  if (ended.length === 0) return [];
  const { address, action } = first.change;
  const others = [...new Set(ended.map((each) => each.broken?.address ?? each.address))].join(' and ');
  return refuse(
    `${address} would be ${action === 'replace' ? 'replaced' : 'created'}, and each new key revokes the active keys of its user: ${others} would stop working`,
  );
}

/** The next `git add` would commit the key. */
function exposed(diff: ResourceDiff, { exposed: files }: PlanBasis): Finding[] {
  const { match, change, requests } = diff;
  const file = files.get(change.address);
  if (file === undefined || match.entry === null) return [];
  const warning = exposedKeyWarning(match.entry, file);
  const isDelivered = requests.some(({ delivery }) => delivery !== undefined) || keptDelivery(diff) !== null;
  if (!isDelivered) return [{ ...warning, address: change.address }];
  const help = `${IGNORE_IT} If it is never committed, use \`--allow-exposed-key\`.`;
  return [refusal(warning.code, change.address, warning.message, help, 'exposedKey')];
}

const IGNORE_IT = 'Add it to `.gitignore`, or deliver the key to a command.';

export function exposedKeyWarning({ address, placeOf }: Declared, file: string): Diagnostic {
  const message = `${address}: a new key is delivered to ${file}, which git does not ignore`;
  return {
    severity: 'warning',
    code: 'exposed-key',
    message,
    help: IGNORE_IT,
    place: placeOf(['deliver', 'file']),
  };
}

function deliversKept(diff: ResourceDiff): Finding[] {
  const { kept } = diff.match;
  if (kept === undefined || keptDelivery(diff) === null) return [];
  const message = `delivers the key in ${kept.file}, which an earlier command could not deliver`;
  return [note(diff.change.address, message)];
}

/**
 * Keys with the name of one that was kept: the run that created it may have been about to revoke them. No inventory
 * says so, and thus they stay, unless `prune: all` deletes them.
 */
function namesakesOfKept({ matches, basis }: World): Finding[] {
  if (basis.prune === 'all') return [];
  return matches.flatMap(({ kind, entry, address, kept }) => {
    if (kept === undefined || entry === null) return [];
    const identity = kind.identity.of(entry.spec);
    const others = matches.flatMap(({ ours, observed }) =>
      !ours && observed?.kind === kind.name && kind.identity.ofObserved(observed) === identity
        ? [observed.id ?? 'a key without an id']
        : [],
    );
    if (others.length === 0) return [];
    const message = `${address}: besides the key that an interrupted apply created, the service has ${others.length} ${kind.identity.describe(entry.spec)}: ${namedIds(others)}`;
    const help =
      'If the interrupted apply was to replace it, revoke it in the dashboard (account menu, API keys).';
    const { source: place } = entry;
    return [{ severity: 'warning', code: 'duplicate-object', message, help, place, address }];
  });
}
