import type { ClientSettings } from '../service/client.js';
import type { Downloader } from '../service/downloads.js';

/** Hardly any command downloads a file: what that needs is loaded with the first one. */
export function lazyDownloader(settings: ClientSettings): Downloader {
  let opened: Promise<Downloader> | null = null;
  const open = async () => (await import('../service/downloads.js')).createDownloader(settings);
  return {
    async download(call, maxBytes) {
      opened ??= open();
      return (await opened).download(call, maxBytes);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
