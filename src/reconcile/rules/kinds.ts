import { type Finding, note, type Risk, refusal, risk } from '../../model/finding.js';
import type { ResourceDiff, Rule } from '../world.js';

/** What only the kind of a resource knows: its own risks, entries whose time has passed, and why an object is replaced. */
export const kinds: Rule = {
  name: 'kinds',
  examine: ({ diffs, basis }) =>
    diffs.flatMap((each) => [
      ...kindRisks(each, basis.now),
      ...expired(each, basis.now),
      ...unknownAge(each),
      ...(each.reason === null ? [] : [note(each.change.address, each.reason)]),
    ]),
};

/** Only of what changes on the service: a lifted protection or a late delivery changes the inventory, or a file. */
function kindRisks({ match, change, requests }: ResourceDiff, now: Date): readonly Finding[] {
  const { kind, observed, entry } = match;
  const { action, address } = change;
  if (requests.length === 0) return [];
  const after = action === 'delete' ? null : (entry?.spec ?? null);
  const risks = kind.risks?.({ observed, after, now }) ?? [];
  const isSaid = action !== 'delete' || risks.some(({ code }) => code === 'delete');
  return [...(isSaid ? [] : [IRREVERSIBLE]), ...risks].map((each) => risk(address, each));
}

/** What follows from every delete, where the kind knows nothing more. */
const IRREVERSIBLE: Risk = { code: 'delete', message: 'cannot be undone' };

function expired({ match: { kind, entry } }: ResourceDiff, now: Date): Finding[] {
  const expiry = entry && (kind.expired?.(entry.declared, now) ?? null);
  if (entry === null || expiry === null) return [];
  const { path, message, help } = expiry;
  const place = entry.placeOf(path);
  return [{ severity: 'warning', code: 'past-once', message, place, help, address: entry.address }];
}

/** Whether it must be replaced depends on its age. */
function unknownAge({ change: { address }, match: { kind, entry, observed } }: ResourceDiff): Finding[] {
  const why = entry && observed && (kind.ageUnknown?.(entry, observed) ?? null);
  if (why === null) return [];
  const help = 'Remove `rotateAfter` until the service gives a valid `createdDate`.';
  return [refusal('unexpected-response', address, `${address}: ${why}`, help)];
}
