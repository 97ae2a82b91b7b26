/** Requests in order. A list among them holds those that wait for nothing in it: they come in any order. */
export type Sequence = readonly (string | Together)[];
/** A list in it is a sequence again. */
export type Together = readonly (string | Sequence)[];

/** Null when the requests are as expected; otherwise what came, and what may come there. */
export function outOfOrder(requests: readonly string[], expected: Sequence): string | null {
  // Equal requests may have several places: each way to place them is followed.
  let ways: readonly Sequence[] = [expected];
  for (const [index, request] of requests.entries()) {
    const next = ways.flatMap((way) => restAfter(way, request));
    if (next.length === 0) return `${request} came after ${index} requests, where ${expectedText(ways)}`;
    ways = next;
  }
  return ways.some((way) => way.length === 0) ? null : `no more requests came, where ${expectedText(ways)}`;
}

function expectedText(ways: readonly Sequence[]): string {
  return `this is expected: ${[...new Set(ways.map((way) => JSON.stringify(way)))].join(' or ')}`;
}

/** The rest of a sequence that may begin with a request, in each way; none when it may not. */
function restAfter([first, ...rest]: Sequence, request: string): Sequence[] {
  if (first === undefined) return [];
  if (typeof first === 'string') return first === request ? [rest] : [];
  return first.flatMap((each, index) => {
    const sequence = typeof each === 'string' ? [each] : each;
    return restAfter(sequence, request).map((left) => {
      const others = first.toSpliced(index, 1, ...(left.length === 0 ? [] : [left]));
      return others.length === 0 ? rest : [others, ...rest];
    });
  });
}
