/** So many results are kept. A project with more different texts than this computes some of them again. */
const MOST_TEXTS = 1000;

/** The same function, which computes the result for a text once: thousands of schedules share few expressions and times. */
export function oncePerText<T extends object | string | null>(
  compute: (text: string) => T,
): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (results.size >= MOST_TEXTS) results.clear();
    results.set(text, result);
    return result;
  };
}
