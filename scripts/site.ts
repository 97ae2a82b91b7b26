/**
 * Builds the documentation as a site into site/, and checks it. Run with `npm run site`; the first time installs VitePress,
 * afterwards it works offline. With `-- preview` it serves the site on this machine.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { navigation } from '../docs/.vitepress/navigation.js';
import manifest from '../package.json' with { type: 'json' };
import { site as published } from '../src/engine/version.js';
import { root } from './fresh.js';
import { readSite, siteProblems } from './site/check-site.js';
import { codePages, llmsText } from './site/site-pages.js';

const docs = join(root, 'docs');
const vitepress = join(docs, '.vitepress');
const pages = join(vitepress, 'pages');
const site = join(root, 'site');
const base = new URL(published ?? 'https://site.invalid/').pathname;

writePages();
run('build');
writeFileSync(join(site, 'llms.txt'), llmsText(manifest.description, navigation, published ?? base));
const problems = siteProblems(readSite(site), base);
for (const each of problems) console.error(each);
if (problems.length > 0) process.exit(1);
console.log(`The site is in ${site}.`);
if (process.argv[2] === 'preview') run('preview');

/** A copy of docs/ with the pages that are not committed: VitePress reads only files. */
function writePages(): void {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(join(pages, 'codes'), { recursive: true });
  for (const name of readdirSync(docs).filter((each) => each !== '.vitepress'))
    cpSync(join(docs, name), join(pages, name === 'README.md' ? 'index.md' : name), { recursive: true });
  for (const [name, text] of codePages()) writeFileSync(join(pages, name), text);
}

function run(command: string): void {
  const program = join(vitepress, 'node_modules/vitepress/bin/vitepress.js');
  const { status, error } = spawnSync(process.execPath, [program, command, docs], {
    stdio: ['ignore', 2, 2],
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
