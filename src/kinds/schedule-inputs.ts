import type { Resolver } from '../model/resource.js';
import { wordList } from '../model/words.js';

/** Names that are listed. The rest are counted. */
const MOST_NAMES = 5;

/** `agent/globex has no input "contry"`, or `no agent of group/g has inputs "contry", "qery" and "zone"`. */
export function unknownInputs(target: string, keys: readonly string[]): string {
  const [first = ''] = keys;
  const isAgent = target.startsWith('agent/');
  const inputs =
    keys.length === 1
      ? `${isAgent ? '' : 'an '}input "${first}"`
      : `inputs ${listed(keys.map((key) => `"${key}"`))}`;
  return isAgent ? `${target} has no ${inputs}` : `no agent of ${target} has ${inputs}`;
}

/** The nearest known input for each of the unknown ones, or all known inputs if none is near. */
export function inputHint(
  unknown: readonly string[],
  known: readonly string[],
  { suggest }: Resolver,
): string {
  if (known.length === 0) return 'Its agents have no inputs.';
  const near = unknown.slice(0, MOST_NAMES).flatMap((key) => {
    const closest = suggest(key, known);
    return closest === null ? [] : [{ key, closest }];
  });
  if (near.length < Math.min(unknown.length, MOST_NAMES)) {
    const names = known.map((name) => `\`${name}\``).join(', ');
    return [...near.map(replacement), `Known inputs: ${names}.`].join(' ');
  }
  const [first] = near;
  if (unknown.length === 1 && first !== undefined) return `Did you mean \`${first.closest}\`?`;
  return near.map(replacement).join(' ');
}

function replacement({ key, closest }: { readonly key: string; readonly closest: string }): string {
  return `Instead of "${key}", did you mean \`${closest}\`?`;
}

/** `a, b and c`. */
function listed(words: readonly string[]): string {
  const more = words.length - MOST_NAMES;
  if (more > 0) return `${words.slice(0, MOST_NAMES).join(', ')} and ${more} more`;
  return wordList(words, 'and');
}
