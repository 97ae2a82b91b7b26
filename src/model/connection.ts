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
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `begins with ${url.protocol} instead of https:`;
  if (!isHostAsWritten(url, text)) return `has a host that is not in canonical form; use \`${url.origin}\``;
  if (url.protocol === 'https:') return null;
  return isLoopback(url.hostname) ? null : 'begins with http:, which is allowed only for loopback addresses';
}

/**
 * The parser also accepts numbers (`0x7f.1`), percent signs, full-width letters and look-alikes as a host, which a
 * reviewer takes for another one. Upper case misleads nobody, but no loopback address has it.
 */
function isHostAsWritten({ protocol, hostname }: URL, text: string): boolean {
  const written = /^https?:\/\/(\[[^\]/]*\]|[^:/]+)(?::\d+)?(?:\/|$)/i.exec(text)?.[1];
  return (protocol === 'https:' ? written?.toLowerCase() : written) === hostname;
}

/** Whether a host, written as the parser returns it, is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Whether a listed `keyPrefix` (interface §2, API key), which may end in dots, stars or an ellipsis, matches a key. */
export function isPrefixOf(shown: string, key: string): boolean {
  const prefix = shown.replace(/(?<![.\u2026*])[.\u2026*]+$/, '');
  return prefix !== '' && key.startsWith(prefix);
}

/** Far longer than any key: one of this length still fits into a request, and into a file that holds a secret. */
const MOST_KEY_CHARACTERS = 2000;

/** Whether a text is one whole API key (interface §5.3), and nothing else. */
export function isApiKey(text: string): boolean {
  if (text.length > MOST_KEY_CHARACTERS) return false;
  return /^svc_live_[\x21-\x7e]+$/.test(text) && !/["'`]/.test(text);
}
