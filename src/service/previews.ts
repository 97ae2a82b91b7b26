import type { Reader } from '../model/request.js';
import type { Answered, Ask, Preview } from '../model/schedule.js';
import { ServiceFailure } from './failure.js';
import { createQueue } from './queue.js';

/** The service rejects the body (interface §4: "or 400 with the reason it is invalid"). */
const rejections = new Set([400, 422]);

/**
 * Asks the service when schedules would run. A service that cannot answer is not an error, because the times can be
 * computed: after its first failure it is not asked again. Throws for a rejected key and for a redirect.
 */
export async function askAll(reader: Reader, asks: readonly Ask[], concurrency: number): Promise<Answered[]> {
  let answers = true;
  const answered = await createQueue(concurrency).map(asks, async (ask) => {
    const preview = answers ? await previewOf(reader, ask) : null;
    answers &&= preview !== null;
    return preview === null ? [] : [{ ask, preview }];
  });
  return answered.flat();
}

async function previewOf(reader: Reader, { call }: Ask): Promise<Preview | null> {
  try {
    return { runs: await reader.read(call) };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const status = failure.status ?? 0;
    // A redirect leads away from the service: that is more than a service without previews.
    if (status === 401 || (status >= 300 && status < 400)) throw failure;
    return rejections.has(status) ? { rejected: failure.facts.message } : null;
  }
}
