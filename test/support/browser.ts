import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const known = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; undefined where there is none. */
export const browserPath = [process.env['CHROMIUM'] ?? '', ...known].find(
  (path) => path !== '' && existsSync(path),
);

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface BrowserOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** A headless browser with an empty profile, and what the pages in it complain about or ask for. */
export class Browser {
  /** Errors and warnings of the console, among them violations of the policy, and requests for anything but the page. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    private readonly folder: string,
  ) {}

  static async start({ colorScheme = 'light', width = 1280 }: BrowserOptions = {}): Promise<Browser> {
    if (browserPath === undefined) throw new Error('no browser');
    const folder = mkdtempSync(join(tmpdir(), 'roster-browser-'));
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: browserPath,
      headless: true,
      args: flags,
      colorScheme,
      offline: true,
      viewport: { width, height: 900 },
    });
    return new Browser(context, folder);
  }

  async open(html: string, hash = ''): Promise<Page> {
    const file = join(this.folder, `${Math.random()}.html`);
    writeFileSync(file, html);
    const url = pathToFileURL(file).href;
    const page = await this.context.newPage();
    page.on('console', (message) => this.complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== url && !request.url().startsWith('data:'))
        this.complaints.push(`request: ${request.url()}`);
    });
    await page.goto(url + hash);
    return page;
  }

  async close(): Promise<void> {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
