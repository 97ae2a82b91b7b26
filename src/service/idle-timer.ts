/** Calls `onIdle` once nothing has restarted it for so long. It does not run before the first `restart`. */
export class IdleTimer {
  #timer: NodeJS.Timeout | null = null;
  #expiring: NodeJS.Immediate | null = null;

  constructor(
    private readonly idleMs: number,
    private readonly onIdle: () => void,
  ) {}

  restart(): void {
    this.#cancelExpiry();
    if (this.#timer !== null) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#expire(), this.idleMs);
  }

  stop(): void {
    this.#cancelExpiry();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** A process that was stopped finds the timer due and bytes waiting: the bytes are read first. */
  #expire(): void {
    this.#expiring = setImmediate(this.onIdle);
  }

  #cancelExpiry(): void {
    if (this.#expiring !== null) clearImmediate(this.#expiring);
    this.#expiring = null;
  }
}
