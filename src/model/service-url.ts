/**
 * Why an API key must not be sent to a URL; null when it may be: https, or http on a loopback address; a base path is
 * allowed. The end of a sentence that shows neither user info nor query.
 */
export function urlFault(text: string): string | null {
  return URL.canParse(text) ? faultOf(new URL(text), text) : 'is not a URL';
}

function faultOf(url: URL, text: string): string | null {
  // The parser removes these silently, so that the key would not go where a person reads that it does.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'contains spaces, backslashes or control characters';
  if (url.username !== '' || url.password !== '') return 'contains a user name or a password';
  if (/[?#]/.test(text)) return 'contains a query or a fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return `begins with ${url.protocol} instead of https:`;
  return isLoopback(url.hostname) ? null : 'begins with http:, which is allowed only for loopback addresses';
}

/** The URL parser has converted every spelling of an IPv4 address to the dotted form. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
