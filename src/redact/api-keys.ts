import { MASK } from '../model/words.js';

/**
 * What looks like a whole API key (contract §2), whoever wrote it. Shorter tokens are shown: the service lists the first
 * characters of each key.
 */
const apiKey = /svc_live_[\w.~+/=%-]{16,}/gi;
const SHORTEST_KEY = 'svc_live_'.length + 16;

export function maskApiKeys(text: string, mask: (found: string) => string = () => MASK): string {
  return text.length < SHORTEST_KEY ? text : text.replace(apiKey, mask);
}

/** Where a text contains what looks like a whole API key. */
export function findApiKeys(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(apiKey)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}
