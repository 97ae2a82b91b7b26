/** Properties with texts for people (interface §2 and §3): the service may repeat in them what it was sent. */
const messageNames: ReadonlySet<string> = new Set([
  'errorMessage',
  'statusMessage',
  'message',
  'error',
  'reason',
]);

/** Masks the messages anywhere in an answer, in place. */
export function maskMessages(answer: unknown, mask: (text: string) => string): void {
  // Not by recursion: an answer can be nested deeper than the stack.
  const open = [answer];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const record = value as Record<string, unknown>;
    for (const name of Object.keys(record)) {
      const inside = record[name];
      if (typeof inside === 'object') open.push(inside);
      else if (typeof inside === 'string' && messageNames.has(name)) record[name] = mask(inside);
    }
  }
}
