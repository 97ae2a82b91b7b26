import { createHash } from 'node:crypto';
import { Browser } from '../../test/support/browser.js';

/** What a browser shows of the page: its top, with all changes opened. */
export async function screenshot(html: string): Promise<Buffer> {
  const browser = await Browser.start({ width: 1000 });
  try {
    const page = await browser.open(html);
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.evaluate('scrollTo(0, 0)');
    return await page.screenshot({ animations: 'disabled' });
  } finally {
    await browser.close();
  }
}

/**
 * The hash of the page. It is kept beside the screenshot, because browsers and their fonts differ: the picture is out of date
 * when the page has changed, which can be told without a browser.
 */
export function hashOf(html: string): string {
  return `${createHash('sha256').update(html).digest('hex')}\n`;
}
