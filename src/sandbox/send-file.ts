import type { FileAnswer } from './api.js';

/** Sends a file while its pieces are made: the next piece when the client has taken the last. */
export function sendFile(
  { fileName, contentType, headers: own = {}, pieces, sent }: FileAnswer,
  headers: Headers,
): Response {
  headers.set('Content-Type', contentType);
  headers.set(
    'Content-Disposition',
    `attachment; filename="${fileName.replace(/[^\x20-\x7e]|["\\]/g, '_')}"`,
  );
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  const iterator = pieces()[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (!done) return controller.enqueue(value);
      controller.close();
      sent?.();
    },
    cancel() {
      sent?.();
    },
  });
  return new Response(body, { status: 200, headers });
}
