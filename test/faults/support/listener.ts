import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that must not get the key. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** How many connections and bytes arrived. */
  received(): { connections: number; bytes: number };
}

/** Listens on every IPv4 address of this machine, counts what arrives and does not respond. */
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
    received: () => ({ connections, bytes }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

export const nothing = { connections: 0, bytes: 0 };
