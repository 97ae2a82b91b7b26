/**
 * Bugs that similar tools have had. `npm run test:bugs` puts each into a copy of the source, where one of its tests must
 * fail: it shows that the tests find bugs.
 */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

export const bugs: readonly Bug[] = [
  {
    name: 'a create whose response was lost is sent again',
    file: 'src/service/retry.ts',
    find: "return effect !== 'create' || certainty === 'not-sent';",
    replace: "return effect !== 'create' || certainty !== 'refused';",
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'a create whose response was lost is not searched for',
    file: 'src/apply/recover-create.ts',
    find: 'await pollUntil(look, (candidates) => candidates.length > 0, lost.sleep)',
    replace: '(await look()).slice(1000)',
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'if two runs create the same object, neither deletes its own',
    file: 'src/apply/withdraw.ts',
    find: 'if (others.length === 0) continue;',
    replace: 'if (others.length < 1000) continue;',
    tests: ['test/faults/two-runs.test.ts'],
  },
  {
    name: 'a create that took effect late is not reported',
    file: 'src/reconcile/match/unmanaged-duplicates.ts',
    find: "return duplicates === undefined || match.rule !== 'inventory' ? [] : warn(match, duplicates);",
    replace: 'return duplicates === undefined || duplicates.length < 1000 ? [] : warn(match, duplicates);',
    tests: ['test/faults/creates.test.ts'],
  },
  {
    name: 'the inventory records nothing before a create',
    file: 'src/apply/apply.ts',
    find: 'if (acting.length > 0) await inputs.lock.save(intent);',
    replace: 'if (acting.length > 1_000) await inputs.lock.save(intent);',
    tests: ['test/cli/signals.test.ts'],
  },
  {
    name: 'a delete that returns 404 always counts as done',
    file: 'src/apply/apply.ts',
    find: "if (gone && step.request.method === 'DELETE') return { outcome: 'done' };",
    replace: "if (gone || step.request.method === 'DELETE') return { outcome: 'done' };",
    tests: ['test/faults/missing.test.ts'],
  },
  {
    name: 'steps that depend on a failed step run all the same',
    file: 'src/apply/run-steps.ts',
    find: 'const waiting = new Map(wave.map((step) => [step.id, step.after.filter((id) => !states.has(id)).length]));',
    replace: 'const waiting = new Map(wave.map((step) => [step.id, 0 * step.after.length]));',
    tests: ['test/faults/order.test.ts', 'test/cases/cases.test.ts'],
  },
  {
    name: 'an object is deleted before the objects that refer to it',
    file: 'src/reconcile/order.ts',
    find: "if (referred?.action === 'delete') wait(referred.address, change.address);",
    replace: "if (referred?.action === 'create') wait(referred.address, change.address);",
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
    name: 'a list that differs from its total counts as complete',
    file: 'src/service/paging.ts',
    find: 'if (all.length !== total) throw disagreeing(total, all.length);',
    replace: '',
    tests: ['test/unit/service/paging.test.ts'],
  },
  {
    name: 'a group that the list omits is not read by its id',
    file: 'src/service/observe.ts',
    find: '[...ids].filter((id) => !seen.has(id))',
    replace: '[...ids].filter((id) => seen.has(`never ${id}`))',
    tests: ['test/unit/cli/usage.test.ts'],
  },
  {
    name: 'Retry-After is ignored',
    file: 'src/service/retry.ts',
    find: 'Math.max(facts.retryAfterMs ?? 0, jitter(attempt, settings.random))',
    replace: 'jitter(attempt, settings.random)',
    tests: ['test/unit/service/retry.test.ts'],
  },
  {
    name: 'retries are not limited',
    file: 'src/service/retry.ts',
    find: 'const MAX_ATTEMPTS = 3;',
    replace: 'const MAX_ATTEMPTS = 30;',
    tests: ['test/unit/service/retry.test.ts'],
  },
  {
    name: 'certificates are not checked and nothing is reported',
    file: 'src/service/url.ts',
    find: "if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {",
    replace: "if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === 'never') {",
    tests: ['test/unit/service/settings.test.ts'],
  },
  {
    name: 'control characters of a name reach the terminal',
    file: 'src/view/escape.ts',
    find: 'return text.replace(unsafeCharacters, escapeCodePoint);',
    replace: 'return unsafeCharacters.global ? text : escapeCodePoint(text);',
    tests: ['test/unit/view/escape.test.ts'],
  },
  {
    name: 'the first of several candidates is chosen',
    file: 'src/reconcile/match/pair.ts',
    find: 'this.pairCandidates(entries, free.get(key) ?? []);',
    replace: 'this.pairCandidates(entries, (free.get(key) ?? []).slice(0, 1));',
    tests: ['test/cases/diagnostics.test.ts'],
  },
  {
    name: 'a digest does not cover the values',
    file: 'src/reconcile/digest.ts',
    find: '    fields,\n    values: values?.values ?? [],\n',
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
    name: 'a snapshot contains inputs unhashed',
    file: 'src/snapshot/save.ts',
    find: 'changeHashed(kind, values, (value) => hashed(value, hasher))',
    replace: 'values',
    tests: ['test/unit/cli/snapshot.test.ts'],
  },
  {
    name: 'a snapshot contains values from the environment',
    file: 'src/engine/snapshot.ts',
    find: 'secrets.get(observed) ?? {}',
    replace: '{}',
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
    name: 'an entry loses its protection when it is removed',
    file: 'src/reconcile/guard.ts',
    find: 'match.wasProtected',
    replace: 'match.entry?.protect === true',
    tests: ['test/cases/diagnostics.test.ts'],
  },
  {
    name: 'another account is not noticed',
    file: 'src/reconcile/guard.ts',
    find: 'if (allow.accountChange || missing * 2 <= known.length) return [];',
    replace: 'if (allow.accountChange || missing / 2 <= known.length) return [];',
    tests: ['test/unit/reconcile/guards.test.ts'],
  },
  {
    name: 'an unfinished apply exits with 0',
    file: 'src/cli/apply.ts',
    find: 'const complete = isComplete(report) && unwritten.length === 0;',
    replace: 'const complete = !report.interrupted && unwritten.length === 0;',
    tests: ['test/faults/creates.test.ts', 'test/unit/apply/keys.test.ts'],
  },
  {
    name: 'a lock that another run holds is taken',
    file: 'src/inventory/file-lock.ts',
    find: 'if (this.takeOverMs(found) > 0) return false;',
    replace: 'if (this.takeOverMs(found) > 0 && found.holder === null) return false;',
    tests: ['test/unit/inventory/file-store.test.ts'],
  },
  {
    name: 'two names of one time zone differ',
    file: 'src/kinds/schedule-spec.ts',
    find: 'canonical: canonicalZone,',
    replace: 'canonical: (zone) => canonicalZone(zone) && zone,',
    tests: ['test/cases/cases.test.ts'],
  },
  {
    name: 'members in another order count as a change',
    file: 'src/kinds/rules.ts',
    find: '  canonical: (value) => [...value].sort(byCodeUnit),\n  ignores: anyOrder,\n  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),',
    replace:
      '  canonical: (value) => [...value],\n  ignores: anyOrder,\n  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),',
    tests: ['test/cases/cases.test.ts'],
  },
  {
    name: 'the counts of a bulk response are trusted',
    file: 'src/kinds/schedule.ts',
    find: 'counts.skipped === 0 && counts.affected === count',
    replace: 'counts.skipped >= 0 && count > 0',
    tests: ['test/unit/apply/bulk.test.ts'],
  },
  {
    name: 'a key with more scopes than requested is kept',
    file: 'src/apply/deliver-key.ts',
    find: 'return canonical([...new Set(scopes)].sort()) === canonical([...requested].sort());',
    replace: 'return scopes.length + requested.length >= 0;',
    tests: ['test/unit/apply/keys.test.ts'],
  },
  {
    name: 'after a new key, the rest of the run uses the old key',
    file: 'src/apply/deliver-key.ts',
    find: 'newKey.writer.useKey(secret.value);',
    replace: '',
    tests: ['test/unit/apply/keys.test.ts'],
  },
  {
    name: 'the key is printed',
    file: 'src/redact/redactor.ts',
    find: 'return maskApiKeys(this.keys.mask(text), (found) => (this.shown.has(found) ? found : MASK));',
    replace: 'return text;',
    tests: ['test/unit/redact/redactor.test.ts'],
  },
  {
    name: 'a digest depends on a value from the environment',
    file: 'src/reconcile/digest.ts',
    find: 'entry?.templates[path] ?? ',
    replace: '',
    tests: ['test/unit/reconcile/digest.test.ts'],
  },
];
