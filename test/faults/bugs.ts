/**
 * Bugs that tools of this sort have had. Each is put into a copy of the source by `npm run test:bugs`, and must turn
 * one of its tests red: that the tests bite is tested, too.
 */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

export const bugs: readonly Bug[] = [
  {
    name: 'a create whose answer was lost is sent again',
    file: 'src/service/retry.ts',
    find: "return effect !== 'create' || certainty === 'not-sent' || status === 429;",
    replace: "return effect !== 'create' || certainty !== 'refused' || status === 429;",
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'a create whose answer was lost is not looked for',
    file: 'src/apply/recover-create.ts',
    find: 'if (found.length > 0) return found;',
    replace: 'if (found.length > 1000) return found;',
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'of two runs that create the same none withdraws its own',
    file: 'src/apply/withdraw.ts',
    find: 'if (others.length === 0) continue;',
    replace: 'if (others.length < 1000) continue;',
    tests: ['test/faults/two-runs.test.ts'],
  },
  {
    name: 'a create that landed late is not told',
    file: 'src/reconcile/unmanaged-duplicates.ts',
    find: "return duplicates === undefined || match.rule !== 'inventory' ? [] : warn(match, duplicates);",
    replace: 'return duplicates === undefined || duplicates.length < 1000 ? [] : warn(match, twins);',
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'nothing is written down before a create',
    file: 'src/apply/apply.ts',
    find: "if (inputs.plan.changes.some((change) => change.action !== 'none')) await inputs.save(intent);",
    replace: 'if (inputs.plan.changes.length > 1_000) await inputs.save(intent);',
    tests: ['test/cli/signals.test.ts'],
  },
  {
    name: 'a delete that is answered with 404 is always well',
    file: 'src/apply/apply.ts',
    find: "if (gone && step.request.method === 'DELETE') return { outcome: 'done' };",
    replace: "if (gone || step.request.method === 'DELETE') return { outcome: 'done' };",
    tests: ['test/faults/missing.test.ts'],
  },
  {
    name: 'what depends on a failed step is tried all the same',
    file: 'src/apply/run-steps.ts',
    find: 'const waiting = new Map(wave.map((step) => [step.id, step.after.filter((id) => !states.has(id)).length]));',
    replace: 'const waiting = new Map(wave.map((step) => [step.id, 0 * step.after.length]));',
    tests: ['test/faults/order.test.ts', 'test/cases/cases.test.ts'],
  },
  {
    name: 'an object is deleted before what points to it',
    file: 'src/reconcile/order.ts',
    find: "if (target?.action === 'delete') wait(target.address, change.address);",
    replace: "if (target?.action === 'create') wait(target.address, change.address);",
    tests: ['test/faults/order.test.ts'],
  },
  {
    name: 'an update starts a paused schedule',
    file: 'src/kinds/schedule-spec.ts',
    find: '    isEnabled: spec.enabled,\n',
    replace: '',
    tests: ['test/cases/cases.test.ts'],
  },
  {
    name: 'only the first page of a list is read',
    file: 'src/service/paging.ts',
    find: 'if (first.nextCursor !== null) return byCursor(first, source);',
    replace: 'if (first.nextCursor !== null) return first.items;',
    tests: ['test/unit/service/paging.test.ts'],
  },
  {
    name: 'a list that disagrees with its total is taken for whole',
    file: 'src/service/paging.ts',
    find: 'if (all.length !== total) throw disagreeing(total, all.length);',
    replace: '',
    tests: ['test/unit/service/paging.test.ts'],
  },
  {
    name: 'a group that the list hides is not read by its id',
    file: 'src/service/observe.ts',
    find: '[...ids].filter((id) => !seen.has(id))',
    replace: '[...ids].filter((id) => seen.has(`never ${id}`))',
    tests: ['test/unit/cli/usage.test.ts'],
  },
  {
    name: 'Retry-After is not heeded',
    file: 'src/service/retry.ts',
    find: 'Math.max(facts.retryAfterMs ?? 0, jitter(attempt, settings.random))',
    replace: 'jitter(attempt, settings.random)',
    tests: ['test/unit/service/retry.test.ts'],
  },
  {
    name: 'there is no end to retries',
    file: 'src/service/retry.ts',
    find: 'const attempts = 3;',
    replace: 'const attempts = 30;',
    tests: ['test/unit/service/retry.test.ts'],
  },
  {
    name: 'certificates are not checked and nobody is told',
    file: 'src/service/url.ts',
    find: "if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {",
    replace: "if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === 'never') {",
    tests: ['test/unit/service/settings.test.ts'],
  },
  {
    name: 'control characters of a name reach the terminal',
    file: 'src/view/escape.ts',
    find: 'return text.replace(risky, visible);',
    replace: 'return risky.global ? text : visible(text);',
    tests: ['test/unit/view/escape.test.ts'],
  },
  {
    name: 'the first of several candidates is taken',
    file: 'src/reconcile/pair.ts',
    find: 'const candidates = identity === null ? [] : (free.get(identity) ?? []);',
    replace: 'const candidates = identity === null ? [] : (free.get(identity) ?? []).slice(0, 1);',
    tests: ['test/cases/diagnostics.test.ts'],
  },
  {
    name: 'a digest does not cover the values',
    file: 'src/reconcile/digest.ts',
    find: '    fields,\n    values: facts?.values ?? [],\n',
    replace: '',
    tests: ['test/unit/reconcile/digest.test.ts'],
  },
  {
    name: 'a digest does not cover what hashed values were before',
    file: 'src/reconcile/digest.ts',
    find: '? hashed(value, hasher) : value',
    replace: '? null : value',
    tests: ['test/unit/reconcile/digest.test.ts'],
  },
  {
    name: 'a snapshot holds inputs as they are',
    file: 'src/snapshot/save.ts',
    find: 'kind.saved.hashed.includes(field) ? hashed(value, hasher) : value',
    replace: 'value',
    tests: ['test/unit/cli/snapshot.test.ts'],
  },
  {
    name: 'a snapshot holds what comes from the environment',
    file: 'src/engine/snapshot.ts',
    find: 'withheld.get(observed) ?? []',
    replace: '[]',
    tests: ['test/unit/cli/snapshot.test.ts'],
  },
  {
    name: 'the limit of deletes is off by one',
    file: 'src/reconcile/guard.ts',
    find: 'if (count <= limit) return [];',
    replace: 'if (count <= limit + 1) return [];',
    tests: ['test/unit/reconcile/guards.test.ts'],
  },
  {
    name: 'protect is forgotten with the entry',
    file: 'src/reconcile/guard.ts',
    find: 'match.known?.protect === true',
    replace: 'match.entry?.protect === true',
    tests: ['test/cases/diagnostics.test.ts'],
  },
  {
    name: 'another account is taken for this one',
    file: 'src/reconcile/guard.ts',
    find: 'if (allow.accountChange || missing * 2 <= known.length) return [];',
    replace: 'if (allow.accountChange || missing / 2 <= known.length) return [];',
    tests: ['test/unit/reconcile/guards.test.ts'],
  },
  {
    name: 'an apply that is not finished ends as one that is',
    file: 'src/cli/apply.ts',
    find: 'const complete = isComplete(report) && unwritten.length === 0;',
    replace: 'const complete = !report.interrupted && unwritten.length === 0;',
    tests: ['test/faults/creates.test.ts', 'test/unit/apply/keys.test.ts'],
  },
  {
    name: 'a lock that is held is taken',
    file: 'src/inventory/file-store.ts',
    find: 'if (!gone && !isOver(lockPath)) throw lockedBy(holder, name);',
    replace: 'if (!gone && !isOver(lockPath) && holder === null) throw lockedBy(holder, name);',
    tests: ['test/unit/inventory/file-store.test.ts'],
  },
  {
    name: 'two names of one time zone differ',
    file: 'src/kinds/schedule-spec.ts',
    find: 'timeZone: { canonical: canonicalZone,',
    replace: 'timeZone: { canonical: (zone) => canonicalZone(zone) && zone,',
    tests: ['test/cases/cases.test.ts'],
  },
  {
    name: 'the order of members is a difference',
    file: 'src/kinds/rules.ts',
    find: '  canonical: (value) => [...value].sort(byCodeUnit),\n  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),',
    replace:
      '  canonical: (value) => [...value],\n  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),',
    tests: ['test/cases/cases.test.ts'],
  },
  {
    name: 'the counts of a bulk answer are trusted',
    file: 'src/kinds/schedule.ts',
    find: 'counts.skipped === 0 && counts.affected === count',
    replace: 'counts.skipped >= 0 && count > 0',
    tests: ['test/unit/apply/bulk.test.ts'],
  },
  {
    name: 'a key with more power than asked for is kept',
    file: 'src/apply/deliver-key.ts',
    find: 'return canonical([...new Set(scopes)].sort()) === canonical([...asked].sort());',
    replace: 'return scopes.length + asked.length >= 0;',
    tests: ['test/unit/apply/keys.test.ts'],
  },
  {
    name: 'the rest of a run goes on with the old key',
    file: 'src/apply/deliver-key.ts',
    find: 'keeping.writer.useKey(secret.value);',
    replace: '',
    tests: ['test/unit/apply/keys.test.ts'],
  },
  {
    name: 'the key is shown',
    file: 'src/redact/redactor.ts',
    find: 'return this.forms.reduce((left, { pattern }) => left.replace(pattern, MASK), text);',
    replace: 'return text;',
    tests: ['test/cases/canary.test.ts', 'test/unit/apply/secrets.test.ts', 'test/cases/words.test.ts'],
  },
];
