const rule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** True for what may be the key of an entry (contract §2). */
export function isEntryKey(text: string): boolean {
  return rule.test(text);
}
