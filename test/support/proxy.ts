import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to one request: `fail` refuses it before it arrives, `lose` drops the response, `pretend` returns success
 * without doing anything.
 */
export type Fault = 'fail' | 'lose' | 'pretend';

export interface Proxy {
  readonly url: string;
  /** Requests that change something, as "METHOD path", in the order of arrival. */
  readonly writes: string[];
  /** How many milliseconds longer every write takes. */
  delay: number;
  /** Applies the fault once, to the nth of the next writes, from 1; 0 for none. */
  arm(nth: number, fault: Fault): void;
  /** Closes all connections, as a service does with idle ones. */
  disconnect(): void;
  close(): Promise<void>;
}

/** A proxy in front of a service that can fail one request. */
export async function startProxy(target: string, delay = 0): Promise<Proxy> {
  const writes: string[] = [];
  let armed = { at: 0, fault: 'fail' as Fault };
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    const writing = incoming.method !== 'GET' && !path.startsWith('/api/schedules/preview');
    if (writing) writes.push(`${incoming.method} ${path}`);
    const hit = writing && writes.length === armed.at;
    if (hit && armed.fault === 'fail') answerInstead(incoming, outgoing, refused);
    else if (hit && armed.fault === 'pretend') answerInstead(incoming, outgoing, pretended);
    else setTimeout(() => forward(target, incoming, outgoing, hit), writing ? proxy.delay : 0);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    delay,
    arm(nth, fault) {
      writes.length = 0;
      armed = { at: nth, fault };
    },
    disconnect: () => server.closeAllConnections(),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

const refused = { status: 400, body: { success: false, message: 'refused by the test' } };
const pretended = { status: 200, body: { success: true, message: 'done' } };

function answerInstead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: typeof refused | typeof pretended,
): void {
  incoming.resume();
  incoming.on('end', () => {
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(answer.body));
  });
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse, lose: boolean): void {
  const onward = send(
    `${target}${incoming.url}`,
    { method: incoming.method, headers: incoming.headers },
    (answer) => {
      if (lose) {
        answer.resume();
        answer.on('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
