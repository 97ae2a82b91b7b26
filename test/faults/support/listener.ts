import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** Somebody who waits for a key. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** How often somebody connected, and how many bytes came. */
  heard(): { connections: number; bytes: number };
}

/** On every address of this machine, over IPv4: it answers nothing and counts what comes. */
export async function listen(): Promise<Listener> {
  let connections = 0;
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('data', (data) => {
      bytes += data.length;
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => ({ connections, bytes }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

export const nothing = { connections: 0, bytes: 0 };
