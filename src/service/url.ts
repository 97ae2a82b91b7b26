import { problem } from '../model/diagnostic.js';
import { urlFault } from '../model/service-url.js';

/**
 * Checks the address of the service before the key can go there: https, or http on a loopback address; a base path is
 * fine. Throws Problem `insecure-url`, which shows neither user info nor query.
 * @param env the process's environment, in which certificate checks may have been switched off.
 * @param subject what the message speaks of, such as `ROSTER_URL`.
 */
export function serviceUrl(
  text: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  subject = 'the service URL',
): URL {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const help = 'Unset it; NODE_EXTRA_CA_CERTS adds a certificate authority of your own.';
    throw problem(
      'insecure-url',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates',
      help,
    );
  }
  const fault = urlFault(text);
  if (fault === null) return new URL(text);
  throw problem('insecure-url', `${subject} ${fault}`, 'For example: https://collect.example.com');
}
