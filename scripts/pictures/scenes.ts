import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { Clocks } from '../../test/support/clocks.js';
import { root } from '../fresh.js';
import { commentSvg } from './comment-svg.js';
import { terminalSvg } from './terminal-svg.js';

const program = join(root, 'dist/roster.cjs');
/** The same in every run, however late it is: plans show the next runs. */
const now = new Date('2026-12-01T06:00:00Z');

/** What the person in the pictures changed in examples/quickstart. */
const edits: readonly (readonly [before: string, after: string])[] = [
  ['members: [acme-shop, globex, initech]', 'members: [acme-shop, globex, umbrella-pharma]'],
  ['every: 6 hours', 'every: 2 hours'],
  ['  market-watch:\n    name: Market watch\n    members: [hooli-jobs, stark-listings, wayne-news]\n', ''],
];

export interface Pictures {
  /** By file name. */
  readonly drawn: ReadonlyMap<string, string>;
  /** The HTML page that `page.png` is a screenshot of. */
  readonly page: string;
}

/** What docs/pictures shows: the output of the built command on examples/quickstart. */
export async function pictures(): Promise<Pictures> {
  const sandbox = await startSandbox({ now, speed: 0 });
  const clocks = new Clocks();
  const folder = mkdtempSync(join(tmpdir(), 'roster-pictures-'));
  try {
    const clock = clocks.make(1, (now.getTime() - Date.now()) / 60_000);
    return await takeAll(new Stage(folder, sandbox, clock));
  } finally {
    rmSync(folder, { recursive: true });
    clocks.remove();
    await sandbox.close();
  }
}

async function takeAll(stage: Stage): Promise<Pictures> {
  stage.edit([]);
  await stage.roster(['apply', '--yes'], 0);
  stage.edit(edits);
  const plan = await stage.roster(['plan', '--write', 'markdown=plan.md', '--write', 'html=plan.html'], 0);
  const comment = stage.read('plan.md');
  const page = stage.read('plan.html');
  const calendar = await stage.roster(['calendar', '--from', '2027-01-04', '--days', '14'], 0);
  stage.edit([['target: group/retail-prices', 'target: group/retail-price']]);
  const mistake = await stage.roster(['validate'], 1);
  const drawn = new Map([
    ['plan.svg', terminalSvg('The plan of a changed project, in a terminal', `$ roster plan\n${plan}`)],
    ['comment.svg', commentSvg('The same plan as a comment on a pull request', comment)],
    [
      'calendar.svg',
      terminalSvg('The agent starts of two weeks, in a terminal', `$ roster calendar --days 14\n${calendar}`),
    ],
    ['validate.svg', terminalSvg('A mistake in a manifest, in a terminal', `$ roster validate\n${mistake}`)],
  ]);
  return { drawn, page };
}

/** A copy of examples/quickstart, and a sandbox in the place of its service. */
class Stage {
  private readonly example = readFileSync(join(root, 'examples/quickstart/roster.yaml'), 'utf8');

  constructor(
    private readonly folder: string,
    private readonly sandbox: Sandbox,
    private readonly clock: string,
  ) {}

  /** Writes the project of the example with these changes. */
  edit(changes: readonly (readonly [before: string, after: string])[]): void {
    const text = [['https://collect.example.com', this.sandbox.url] as const, ...changes].reduce(
      (before, change) => replaceOnce(before, ...change),
      this.example,
    );
    writeFileSync(join(this.folder, 'roster.yaml'), text);
  }

  read(file: string): string {
    return this.stable(readFileSync(join(this.folder, file), 'utf8'));
  }

  /** What the command prints, with colors. */
  roster(parameters: readonly string[], expected: number): Promise<string> {
    const env = { PATH: process.env['PATH'], FORCE_COLOR: '1', ROSTER_API_KEY: this.sandbox.apiKey };
    const child = spawn(process.execPath, ['-r', this.clock, program, ...parameters], {
      cwd: this.folder,
      env,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        if (code === expected) resolve(this.stable(output));
        else reject(new Error(`roster ${parameters.join(' ')} ended with ${code}:\n${output}`));
      });
    });
  }

  /** The sandbox's port, its ids, and with them the digest, are others in every run; the time-zone data with each Node. */
  private stable(text: string): string {
    const ids = [...new Set(text.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g))];
    const named = ids.reduce((before, id, index) => before.replaceAll(id, idOf(index)), text);
    return named
      .replaceAll(this.sandbox.url, 'https://collect.example.com')
      .replace(/(?<=Time-zone data: )\w+/g, '2025c')
      .replace(/sha256:[\da-f]{64}/g, `sha256:${hashOf('plan')}`);
  }
}

function replaceOnce(text: string, before: string, after: string): string {
  if (text.split(before).length !== 2)
    throw new Error(`examples/quickstart does not have this once: ${before}`);
  return text.replace(before, () => after);
}

function idOf(index: number): string {
  return hashOf(`id ${index}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
