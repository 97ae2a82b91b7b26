/**
 * What keeps an address from being one that an API key may go to: https, or http on a loopback address; a base path
 * is fine. The end of a sentence that shows neither user info nor query; null when nothing does.
 */
export function urlFault(text: string): string | null {
  return URL.canParse(text) ? faultOf(new URL(text), text) : 'is not a URL';
}

function faultOf(url: URL, text: string): string | null {
  // The parser drops these without a word, so that what a person reads is not where the key goes.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'holds spaces, backslashes or control characters';
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password';
  if (/[?#]/.test(text)) return 'holds a query or a fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return `begins with ${url.protocol} instead of https:`;
  return isLoopback(url.hostname) ? null : 'begins with http:, which is for loopback addresses only';
}

/** The URL parser has brought every spelling of an IPv4 address into the dotted form by now. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
