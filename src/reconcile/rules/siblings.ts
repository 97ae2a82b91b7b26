import { type Finding, note, refusal, risk } from '../../model/finding.js';
import { groupBy } from '../../model/json.js';
import { siblingName, type UnreadSibling } from '../../model/sibling.js';
import { agree, count, some } from '../../model/words.js';
import { staysForOthers } from '../diff.js';
import { type Elsewhere, isOwnedElsewhere, type ResourceDiff, type Rule, type World } from '../world.js';
import { startsPausedOutside } from './starts-again.js';

/** Other projects of the repository that have to do with the same objects. */
export const siblings: Rule = {
  name: 'siblings',
  examine: (world) => [
    ...world.diffs.flatMap(owned),
    ...world.diffs.flatMap(handedOver),
    ...leftForOthers(world),
    ...startsUnread(world),
    ...unknownSiblings(world),
    ...clashes(world),
  ],
};

const code = 'owned-elsewhere';

/**
 * It is paused, not by an apply of this project, and the entry would start it: a project whose inventory cannot be read may
 * have put it on hold.
 */
function startsUnread({ diffs, basis: { siblings } }: World): Finding[] {
  const isKnown = ({ project, file }: UnreadSibling) =>
    siblings.known.some((each) => siblingName(each) === project && each.file === file);
  const [first] = siblings.unread.filter((each) => !isKnown(each));
  if (first === undefined) return [];
  return diffs.filter(startsPausedOutside).map(({ change: { address } }) => {
    const message = `${address} is paused on the service, and this plan would start it: ${mayHave(first, 'hold', 'it')}, and ${first.reason}`;
    const help =
      'Correct this first, or write `enabled: false` in the entry until the other project can be read.';
    return refusal('unreadable-sibling', address, message, help);
  });
}

/** Two projects that declare one object undo each other's changes. */
function owned({ match, change: { address, action } }: ResourceDiff): Finding[] {
  const { entry, elsewhere } = match;
  if (entry === null || elsewhere === undefined || !isOwnedElsewhere(match)) return [];
  if (action === 'none' || action === 'create') return [];
  const { project, file } = elsewhere;
  const message = `is in the inventory of project ${project} (${file}): if both projects declare it, each apply undoes the other's`;
  return [risk(address, { code, message })];
}

function handedOver({ match: { elsewhere }, change: { address, action } }: ResourceDiff): Finding[] {
  if (elsewhere === undefined) return [];
  const { project, file, claim } = elsewhere;
  if (action === 'forget' && claim === 'managed')
    return [note(address, `project ${project} (${file}) manages it now: it stays on the service`)];
  if (action === 'delete' && claim === 'dropped')
    return [
      note(address, `is in the inventory of project ${project} (${file}), too, which no longer declares it`),
    ];
  return [];
}

/** Addresses that a message lists. */
const MOST_LISTED = 5;

/** What stays although no entry here declares it. One message for each reason: many entries may have moved at once. */
function leftForOthers({ diffs, basis }: World): Finding[] {
  const withheld = diffs.filter(
    ({ match, change }) =>
      change.action === 'none' &&
      match.entry === null &&
      match.observed !== null &&
      staysForOthers(match, basis),
  );
  const claimed = withheld.flatMap(({ change: { address }, match: { elsewhere } }) => {
    if (elsewhere === undefined || elsewhere.claim === 'dropped') return [];
    return [{ address, elsewhere, isRemoved: basis.removed.has(address) }];
  });
  const isClaimed = new Set(claimed.map(({ address }) => address));
  const others = withheld.map(({ change }) => change.address).filter((each) => !isClaimed.has(each));
  const isRemoved = (address: string) => basis.removed.has(address);
  const left = [
    { action: 'forgotten', addresses: others.filter(isRemoved) },
    { action: 'deleted', addresses: others.filter((each) => !isRemoved(each)) },
  ] as const;
  const byOwner = groupBy(claimed, ({ elsewhere: { project, file, claim }, isRemoved }) =>
    JSON.stringify([project, file, claim, isRemoved]),
  );
  return [
    ...[...byOwner.values()].flatMap((group) => {
      const [first] = group;
      const addresses = group.map(({ address }) => address);
      if (first === undefined) return [];
      // What another project manages stays only because of its hold.
      const isHeld = first.isRemoved || first.elsewhere.claim === 'managed';
      return [isHeld ? heldBefore(first.elsewhere, addresses) : claimedBy(first.elsewhere, addresses)];
    }),
    ...basis.siblings.unread.flatMap((each) =>
      left.flatMap(({ action, addresses }) =>
        addresses.length === 0 ? [] : [unread(each, action, addresses)],
      ),
    ),
  ];
}

function claimedBy({ project, file, claim }: Elsewhere, addresses: readonly string[]): Finding {
  const subject = subjectOf(addresses);
  const owner = `project ${project} (${file})`;
  const [reason, help] =
    claim === 'declared'
      ? [
          `${owner} declares ${agree(addresses.length, 'it', 'them')}, and no apply of that project has adopted ${agree(addresses.length, 'it', 'them')} yet`,
          `Apply project ${project}: the next plan here then forgets ${agree(addresses.length, 'it', 'them')}.`,
        ]
      : [
          `${agree(addresses.length, 'it is', 'they are')} in the inventory of ${owner}`,
          `Plan project ${project} to see what it does with ${agree(addresses.length, 'it', 'them')}. To leave ${agree(addresses.length, 'it', 'them')} to that project, list ${agree(addresses.length, 'its address', 'their addresses')} under \`removed\`.`,
        ];
  return { severity: 'warning', code, message: `${subject} not deleted: ${reason}`, help };
}

/** Would be forgotten, and is on hold. */
function heldBefore(elsewhere: Elsewhere, addresses: readonly string[]): Finding {
  const [reason, help] = whyHeld(elsewhere, addresses);
  const are = agree(addresses.length, 'it is', 'they are');
  const message = `${subjectOf(addresses)} not forgotten yet: ${are} on hold, and ${reason}`;
  return { severity: 'warning', code, message, help };
}

function whyHeld(
  { project, file, claim }: Elsewhere,
  addresses: readonly string[],
): readonly [reason: string, help: string] {
  const [are, them] = [agree(addresses.length, 'it is', 'they are'), agree(addresses.length, 'it', 'them')];
  const owner = `project ${project} (${file})`;
  const resume = `\`roster resume ${addresses.length === 1 ? addresses[0] : 'ADDRESS…'}\``;
  if (claim === 'declared' || claim === 'managed')
    return [
      `${owner} must take over ${agree(addresses.length, 'the hold', 'the holds')} first`,
      `Apply project ${project}: the next plan here then forgets ${them}.`,
    ];
  return [
    `${are} in the inventory of ${owner}`,
    `Plan project ${project} to see what it does with ${them}. To forget ${them} here, run ${resume} first.`,
  ];
}

/** `project travel (FILE) may manage it`. */
function mayHave({ project, file }: UnreadSibling, verb: string, them: string): string {
  const owner = project === '' ? 'other projects of the repository' : `project ${project} (${file})`;
  return `${owner} may ${verb} ${them}`;
}

function unread(
  sibling: UnreadSibling,
  action: 'deleted' | 'forgotten',
  addresses: readonly string[],
): Finding {
  const [it, them] = [agree(addresses.length, 'it', 'they'), agree(addresses.length, 'it', 'them')];
  const owner = mayHave(sibling, 'manage', them);
  const message = `${subjectOf(addresses)} not ${action}: ${owner} now, and ${sibling.reason}`;
  const help = `Correct that first. The next plan then shows whether ${it} can be ${action}.`;
  return { severity: 'warning', code: 'unreadable-sibling', message, help };
}

function subjectOf(addresses: readonly string[]): string {
  if (addresses.length === 1) return `${addresses[0]} is`;
  return `${count(addresses.length, 'object')} (${some(addresses, MOST_LISTED)}) are`;
}

/** Objects that have moved to such a project are deleted: the reviewer of the plan must know it. */
function clashes({ diffs, basis }: World): Finding[] {
  if (!diffs.some(({ change }) => change.action === 'delete')) return [];
  return basis.siblings.clashing.map(({ file, clash }) => {
    const message = `objects that have moved to ${file} would be deleted: ${file} ${clash}, so roster does not treat it as another project`;
    const help = 'Give each project its own name and inventory, then plan again.';
    return { severity: 'warning', code, message, help };
  });
}

function unknownSiblings({
  diffs,
  basis: {
    siblings: { unknown },
  },
}: World): Finding[] {
  if (unknown === null || !diffs.some(({ change }) => change.action === 'delete')) return [];
  const message = `cannot tell which other projects are in this repository, and may manage what the plan deletes: ${unknown}`;
  const help = 'Review the deletes carefully, or plan in a clone that git can read.';
  return [{ severity: 'info', code: 'unreadable-sibling', message, help }];
}
