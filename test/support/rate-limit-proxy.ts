import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RateLimit {
  readonly perSecond: number;
  /** The header of each refusal; null for none, like nginx. */
  readonly retryAfter: string | null;
}

export interface LimitedService {
  readonly url: string;
  /** Requests that were passed on, and those that were refused, as "METHOD path". */
  readonly passed: string[];
  readonly refused: string[];
  close(): Promise<void>;
}

/** A proxy that answers 429 to a request that follows another one too soon, as nginx does with `limit_req`. */
export async function startLimited(
  target: string,
  { perSecond, retryAfter }: RateLimit,
): Promise<LimitedService> {
  const [passed, refused]: [string[], string[]] = [[], []];
  let nextAt = 0;
  const server = createServer((incoming, outgoing) => {
    const subject = `${incoming.method} ${incoming.url}`;
    if (performance.now() < nextAt) {
      refused.push(subject);
      incoming.resume();
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      outgoing.writeHead(429, { 'content-type': 'text/html', ...headers });
      outgoing.end('<html><head><title>429 Too Many Requests</title></head></html>');
      return;
    }
    passed.push(subject);
    nextAt = performance.now() + 1000 / perSecond;
    const { method, headers } = incoming;
    const onward = send(`${target}${incoming.url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    refused,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
