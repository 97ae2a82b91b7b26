import type { Socket } from 'node:net';

/**
 * Holds a response back at its socket. undici's own pause must not be used for that: if the connection ends while
 * its parser is paused, an assertion ends the process (nodejs/undici#5360). For one connection at a time.
 */
export class SocketGate {
  #socket: Socket | null = null;
  #isShut = false;

  /** `onError` must not end the request: undici does so afterwards, and only once. */
  constructor(private readonly onError: (error: Error) => void) {}

  /** Before undici has the socket, so that its listeners come second. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size) => (this.#isShut ? null : read(size));
    socket.on('error', this.onError);
    this.#socket = socket;
  }

  shut(): void {
    this.#isShut = true;
  }

  open(): void {
    if (!this.#isShut) return;
    this.#isShut = false;
    // undici reads when it hears of bytes, which it may have done while nothing could be read.
    this.#socket?.emit('readable');
  }
}
