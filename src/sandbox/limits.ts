import { Refusal, type ServiceLimits } from './api.js';
import type { SandboxClock } from './clock.js';
import type { Settings } from './world.js';

const MINUTE_MS = 60_000;

/** What the service allows at a time (interface.md §8). Not saved: a restart begins anew. */
export class Limits implements ServiceLimits {
  private readonly starts = new Map<string, number[]>();
  private readonly exports = new Map<string, { until: number; isSent: boolean }>();

  constructor(
    private readonly settings: Settings,
    private readonly clock: SandboxClock,
  ) {}

  /** The interface does not show the response to too many starts; 429 is the usual one. */
  countStart(user: string): void {
    const now = this.clock.now().getTime();
    const recent = (this.starts.get(user) ?? []).filter((at) => at > now - MINUTE_MS);
    if (recent.length >= this.settings.startsPerMinute) {
      const wait = this.clock.realMs((recent[0] ?? now) + MINUTE_MS - now);
      const headers = { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) };
      throw new Refusal(429, 'Too many starts in the last minute.', undefined, headers);
    }
    recent.push(now);
    this.starts.set(user, recent);
  }

  /** Returns what must be called when the response is sent. */
  beginExport(account: string): () => void {
    const now = this.clock.now().getTime();
    const before = this.exports.get(account);
    if (before !== undefined && (!before.isSent || before.until > now)) {
      const message = 'A bulk export is already running for this account.';
      throw new Refusal(429, message, 'BULK_EXPORT_CAPACITY_EXCEEDED', { 'Retry-After': '5' });
    }
    const slot = { until: now + this.settings.bulkExportSeconds * 1000, isSent: false };
    this.exports.set(account, slot);
    return () => {
      slot.isSent = true;
    };
  }
}
