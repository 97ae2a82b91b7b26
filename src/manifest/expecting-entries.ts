import { isJsonObject } from '../model/json.js';
import type { Diagnostics } from './diagnostics.js';
import { expectationOver } from './expectations.js';
import type { EntryRead } from './kind-reader.js';
import { listed } from './schema-messages.js';

/**
 * The entries, with what `defaults` expect of schedules only where their targets say nothing: a target wins over defaults.
 * Members that an expectation names must be agents of the entry.
 */
export function expectingEntries(list: readonly EntryRead[], diagnostics: Diagnostics): readonly EntryRead[] {
  if (list.every(({ expectation }) => expectation === undefined)) return list;
  const byAddress = new Map(list.map((each) => [each.declared.address, each]));
  return list.map((each) => {
    if (each.expectation === undefined) return each;
    const [target] = each.kind.references?.inEntry(each.declared.declared) ?? [];
    const targeted = target === undefined ? undefined : byAddress.get(target);
    checkMembers(each, targeted ?? each, diagnostics);
    return targeted === undefined ? each : belowTarget(each, targeted);
  });
}

function belowTarget(entry: EntryRead, { declared: { expect: ofTarget } }: EntryRead): EntryRead {
  const { expectation, declared, written } = entry;
  if (expectation === undefined || ofTarget === undefined) return entry;
  const expect = expectationOver(ofTarget, expectation);
  if (expect !== undefined)
    return { ...entry, declared: { ...declared, expect }, written: { ...written, expect } };
  const { expect: _, ...others } = written;
  return { ...entry, declared: { ...declared, expect }, written: others };
}

/** `whole` is what has the agents: the entry itself, or its target. */
function checkMembers(
  { expectation, declared, places }: EntryRead,
  whole: EntryRead,
  diagnostics: Diagnostics,
): void {
  const { members } = expectation?.own ?? {};
  if (!isJsonObject(members) || !whole.sound || whole.declared.external) return;
  const agents = (whole.kind.links?.(whole.declared.declared).to ?? [])
    .filter((each) => each.startsWith('agent/'))
    .map((each) => each.slice('agent/'.length));
  for (const agent of Object.keys(members)) {
    // Others may add members that the entry does not list.
    if (agents.includes(agent) || whole.declared.ignore?.includes('members.extra') === true) continue;
    const near = diagnostics.suggestions.of(agent, agents, agents.length);
    const help =
      near === null
        ? `Name it as the entry does: ${listed(agents.slice(0, 10))}.`
        : `Did you mean \`${near}\`?`;
    const span = places.spanOf(['expect', 'members', agent], 'key');
    const message = `${declared.address} expects something of "${agent}", which is none of its agents`;
    diagnostics.within([declared.address], () =>
      diagnostics.error('unknown-reference', span, message, { help }),
    );
  }
}
