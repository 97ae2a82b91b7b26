import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseSeed } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { sampleOf } from '../support/size.js';

/** Environment values that occur in every format anyway, as its words, names and spaces. */
const words = [
  // Too short to be redacted: nothing may depend on them.
  '7',
  'q7',
  'true',
  'null',
  'error',
  'results',
  'formatVersion',
  '    ',
  'roster.yaml',
  'create',
  'utf16CodeUnits',
  '"},{"',
];

const manifest = `project: words
groups:
  shops: { description: "x\${env.WORD}", members: [acme-shop] }
  others: { active: true, description: plain, members: [acme-shop] }
schedules:
  nightly: { target: group/shops, every: 1 day, startTime: 2026-12-01T00:00:00, inputs: { query: shoes } }
`;

const wrong = `${manifest}  broken: { target: group/shop, every: 1 day, startTime: 2026-12-01T00:00:00 }\n`;

const commands: readonly (readonly [file: string, line: string])[] = [
  ...['text', 'json', 'github', 'sarif', 'gitlab', 'junit'].flatMap((format) =>
    ['roster.yaml', 'wrong.yaml'].map((file) => [file, `validate --format ${format}`] as const),
  ),
  ...['text', 'json', 'markdown', 'github', 'gitlab'].map(
    (format) => ['roster.yaml', `plan --format ${format} --out plan.json`] as const,
  ),
  ['roster.yaml', 'apply --plan plan.json --report report.json --format json'],
  ['roster.yaml', 'apply --yes'],
  ...['text', 'json'].flatMap((format) =>
    ['drift', 'why group/shops', 'graph', 'calendar --from 2026-12-01'].map(
      (command) => ['roster.yaml', `${command} --format ${format}`] as const,
    ),
  ),
];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Everything that is printed and written when the value is in the environment. */
async function shownWith(word: string): Promise<Record<string, string>> {
  const sandbox = await startSandbox({ seed: parseSeed('{}') });
  const workspace = new Workspace({ 'roster.yaml': manifest, 'wrong.yaml': wrong }, sandbox);
  workspace.env = { ...workspace.env, WORD: word };
  const shown: Record<string, string> = {};
  for (const [file, line] of commands) {
    const { exit, stdout, stderr } = await workspace.command([...line.split(' '), '-f', file]);
    shown[`${line} -f ${file}`] = steady(`${exit}\n${stdout}\n${stderr}`, sandbox.url);
  }
  for (const file of ['plan.json', 'report.json'])
    shown[file] = steady(readFileSync(join(workspace.root, file), 'utf8'), sandbox.url);
  return shown;
}

function steady(text: string, url: string): string {
  return text
    .replaceAll(url, 'URL')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'ID')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/account":"[^"]*/, 'account":"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME');
}

describe('common words', () => {
  let plain: Record<string, string> = {};
  beforeAll(async () => {
    plain = await shownWith('an ordinary text');
  });

  test.each(sampleOf(words, 1))('the environment value %j changes no output', async (word) => {
    expect(await shownWith(word)).toEqual(plain);
  });
});

describe('repeated by the service', () => {
  const secrets = [
    'correct horse battery staple',
    `seven words and ${'a few more that fill the line, '.repeat(5)}and an end`,
    'two  spaces\tand a tab',
    'it is "quoted", and \\ escaped',
  ];
  const formats = ['plan', 'plan --format json', 'plan --format markdown', 'plan --format github', 'drift'];
  test.each(secrets)(
    'the environment value %j is redacted in a service error, however it is wrapped',
    async (secret) => {
      const body = JSON.stringify({
        message: `The description must not be: ${secret}. Give it another one.`,
      });
      const server = createServer((_, response) => response.writeHead(400).end(body));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const workspace = new Workspace(
        { 'roster.yaml': 'project: p\ngroups: { shops: { description: "${env.CANARY}", members: [] } }\n' },
        { url, apiKey: 'svc_live_stub' },
      );
      cleanups.push(() => server.close());
      workspace.env = { ...workspace.env, CANARY: secret };
      for (const line of formats) {
        // `Workspace` checks the output.
        const { exit, stdout, stderr } = await workspace.command(line.split(' '));
        expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('(sensitive)')]);
      }
    },
  );
});
