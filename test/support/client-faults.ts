import { type Fault, faultFinder, type RequestFilter, type Sandbox } from '../../src/sandbox/index.js';

/** Faults of the client: at a request, its process gets a signal. `kill-…` sends SIGKILL and resets the connection. */
export interface ClientFault extends RequestFilter {
  /** `kill-before`: the request does not take effect. `kill-after` and `signal`: it does. */
  readonly act: 'kill-before' | 'kill-after' | 'signal';
  /** Of `signal`; default SIGTERM. */
  readonly signal?: NodeJS.Signals;
}

export type AnyFault = Fault | ClientFault;

/** Injects both kinds of faults into a sandbox. A request that meets a fault of the service is not counted by the others. */
export class FaultInjector {
  /** The process that client faults send signals to; null for none. */
  targetPid: number | null = null;

  constructor(private readonly sandbox: Sandbox) {}

  /** Replaces the faults. Counting of requests starts again. */
  inject(...faults: readonly AnyFault[]): void {
    const plan = this.sandbox.faults;
    const clientFaults = faults.filter(isClientFault);
    plan.faults = faults.filter((fault): fault is Fault => !isClientFault(fault));
    if (clientFaults.length > 0) plan.intercept = this.interceptWith(clientFaults);
    else if (this.installed !== null && plan.intercept === this.installed) plan.intercept = null;
  }

  /** Whether a fault of the client is injected: it would hit the tests if they ran the command themselves. */
  get needProcess(): boolean {
    return this.installed !== null && this.sandbox.faults.intercept === this.installed;
  }

  sendSignal(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (this.targetPid !== null) process.kill(this.targetPid, signal);
  }

  private installed: Sandbox['faults']['intercept'] = null;

  private interceptWith(faults: readonly ClientFault[]): Sandbox['faults']['intercept'] {
    const findFault = faultFinder<ClientFault>();
    this.installed = async (request, next) => {
      const fault = findFault(faults, request);
      if (fault === undefined) return next();
      if (fault.act === 'kill-after') await next();
      this.sendSignal(fault.act === 'signal' ? fault.signal : 'SIGKILL');
      return fault.act === 'signal' ? next() : request.reset();
    };
    return this.installed;
  }
}

function isClientFault(fault: AnyFault): fault is ClientFault {
  return fault.act === 'kill-before' || fault.act === 'kill-after' || fault.act === 'signal';
}
