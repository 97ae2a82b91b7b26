import { problem } from '../model/diagnostic.js';

/**
 * Checks the address of the service before the key can go there: https, or http on a loopback address; a base path is
 * fine. Throws Problem `insecure-url`, which shows neither user info nor query.
 * @param env the process's environment, in which certificate checks may have been switched off.
 */
export function serviceUrl(
  text: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): URL {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const help = 'unset it; NODE_EXTRA_CA_CERTS adds a certificate authority of your own';
    throw problem(
      'insecure-url',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates',
      help,
    );
  }
  const url = parsed(text);
  const fault = faultOf(url, text);
  if (fault !== null)
    throw problem('insecure-url', `the service URL ${fault}`, 'such as https://collect.example.com');
  return url;
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw problem('insecure-url', 'the service URL is not a URL', 'such as https://collect.example.com');
  }
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
