import { createHash } from 'node:crypto';
import { canonical, type Json } from '../model/json.js';
import { anything, list, object, optional, type Read, text } from '../model/shape.js';

/** What a comment and a check say of a plan beside its page. Counts, codes and hashes: no text of a manifest is in it. */
export const planFacts = object({
  /** `2 to update, 1 to delete · 2 risks`. */
  verdict: text,
  /** The codes of why apply would refuse it. */
  refusals: list(text),
  /** A hash of each change, to compare it with another plan. Null if there are too many. */
  changes: optional(list(text)),
});

export type PlanFacts = Read<typeof planFacts>;

/** What is read of a plan in JSON. There are only diagnostics where there is no plan. */
export const factsFile = {
  verdict: optional(text),
  changes: optional(list(object({ address: text, action: text, fields: anything }))),
  diagnostics: optional(list(object({ severity: text, code: text }))),
};

type FactsFile = { readonly [K in keyof typeof factsFile]: Read<(typeof factsFile)[K]> };

/** Of larger plans, a comment does not say what is new. */
const MOST_COMPARED = 5_000;

/** Null where there is no plan. */
export function factsOf({ verdict, changes, diagnostics }: FactsFile): PlanFacts | null {
  if (verdict === null) return null;
  const all = changes ?? [];
  const errors = (diagnostics ?? []).filter(({ severity }) => severity === 'error');
  return {
    verdict,
    refusals: [...new Set(errors.map(({ code }) => code))].filter((code) => /^[a-z-]{1,50}$/.test(code)),
    changes: all.length > MOST_COMPARED ? null : all.map(hashOf),
  };
}

/** Shorter than the hash of a commit. */
const HASH_LENGTH = 12;

/** Risks and next runs may change with the time: the change stays the same. */
function hashOf({ address, action, fields }: { address: string; action: string; fields: unknown }): string {
  const text = canonical({ address, action, fields: fields as Json });
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

/** A plan that was shown for an earlier commit. */
interface EarlierPlan {
  readonly head: string;
  readonly changes: readonly string[];
}

/** The plans in the words of a comment: a commit, the hashes of its changes, and so on. The newest comes first. */
export function shownPlans(words: readonly string[]): readonly EarlierPlan[] {
  const starts = words.flatMap((word, index) => (word.length > HASH_LENGTH ? [index] : []));
  return starts.map((start, index) => {
    const [head = '', ...changes] = words.slice(start, starts[index + 1]);
    return { head, changes };
  });
}

/** `Since 3f2a9c6: 2 added, 1 gone, 14 the same.` Null where both plans are empty, or cannot be compared. */
export function sinceText(earlier: EarlierPlan | null, facts: PlanFacts | null): string | null {
  const changes = facts?.changes ?? null;
  if (earlier === null || changes === null) return null;
  const [before, now] = [new Set(earlier.changes), new Set(changes)];
  const same = [...now].filter((each) => before.has(each)).length;
  const counts: readonly (readonly [number, string])[] = [
    [now.size - same, 'added'],
    [before.size - same, 'gone'],
    [same, 'the same'],
  ];
  const parts = counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]));
  return parts.length === 0 ? null : `Since ${earlier.head.slice(0, 7)}: ${parts.join(', ')}.`;
}
