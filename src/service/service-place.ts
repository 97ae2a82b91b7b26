import type { HttpProxy } from './proxy.js';

/** Where the service is, and where its URL comes from: the wrong one is a likely reason for a failure. */
export interface ServicePlace {
  readonly base: URL;
  /** `ROSTER_URL`, or a place such as roster.yaml:3. */
  readonly urlFrom?: string | undefined;
  /** Through which it is reached, if any. */
  readonly proxy?: HttpProxy | null | undefined;
}

/** `https://collect.example.com/base (from roster.yaml:3)` */
export function placeText({ base: { origin, pathname }, urlFrom }: ServicePlace): string {
  return `${origin}${pathname.replace(/\/+$/, '')}${fromText(urlFrom)}`;
}

export function fromText(urlFrom: string | undefined): string {
  return urlFrom === undefined ? '' : ` (from ${urlFrom})`;
}

/** `the proxy http://proxy.example.com:3128 (from `HTTPS_PROXY`)` */
export function proxyText({ origin, from }: HttpProxy): string {
  return `the proxy ${origin}${fromText(`\`${from}\``)}`;
}
