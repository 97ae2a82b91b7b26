import { createHash } from 'node:crypto';
import { canonical, isJsonObject, type Json } from '../model/json.js';
import {
  anything,
  list,
  object,
  optional,
  type Read,
  rawList,
  record,
  text,
  wholeNumber,
} from '../model/shape.js';
import { count } from '../model/words.js';

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

/** What is read of a plan in JSON. */
export const factsFile = {
  summary: optional(record(anything)),
  risks: optional(rawList),
  changes: optional(
    list(object({ address: text, action: text, fields: anything, risks: optional(rawList) })),
  ),
  diagnostics: optional(list(object({ severity: text, code: text }))),
};

type FactsFile = { readonly [K in keyof typeof factsFile]: Read<(typeof factsFile)[K]> };

/** Of larger plans, a comment does not say what is new. */
const MOST_COMPARED = 5_000;

export function factsOf({ summary, risks, changes, diagnostics }: FactsFile): PlanFacts {
  const all = changes ?? [];
  const risky = all.filter(
    (each) =>
      (each.risks ?? []).length > 0 ||
      each.action === 'delete' ||
      each.action === 'replace' ||
      delivers(each.fields),
  );
  const found = (risks ?? []).length + risky.length;
  const counts = actions.flatMap((action) => {
    const number = wholeNumber(summary?.[action]) ?? 0;
    return number === 0 ? [] : [`${number} to ${action}`];
  });
  const verdict = counts.length === 0 ? 'No changes' : counts.join(', ');
  const errors = (diagnostics ?? []).filter(({ severity }) => severity === 'error');
  return {
    verdict: found === 0 ? verdict : `${verdict} · ${count(found, 'risk')}`,
    refusals: [...new Set(errors.map(({ code }) => code))].filter((code) => /^[a-z-]{1,50}$/.test(code)),
    changes: all.length > MOST_COMPARED ? null : all.map(hashOf),
  };
}

/** A new credential, or an old one in a new place. */
function delivers(fields: unknown): boolean {
  return Array.isArray(fields) && fields.some((each) => isJsonObject(each) && each['path'] === 'deliver');
}

const actions = ['create', 'update', 'replace', 'delete', 'adopt', 'forget'];

/** Risks and next runs may change with the time: the change stays the same. */
function hashOf({ address, action, fields }: { address: string; action: string; fields: unknown }): string {
  const text = canonical({ address, action, fields: fields as Json });
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** A plan that was shown for an earlier commit. */
interface EarlierPlan {
  readonly head: string;
  readonly changes: readonly string[];
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
