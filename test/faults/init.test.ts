import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { roster } from '../support/program.js';
import { sampleOf } from '../support/size.js';
import { callsOf, type FsFault, fsFaults, preload } from './support/fs-faults.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'roster-init-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** With its hash, no registry is asked. */
const install = `npm:rosterctl@0.2.0#sha512-${'A'.repeat(86)}==`;
const init = (env: Record<string, string>) =>
  roster(['init', '--ci', 'github', '--install', install], { cwd, preload, env });

test('init: if any of its writes fails, it leaves no file behind', async () => {
  const calls = await callsOf(cwd, init);
  expect(calls.length).toBeGreaterThan(20);
  for (const [index] of sampleOf([...calls.entries()], 7)) {
    rmSync(cwd, { recursive: true });
    cwd = mkdtempSync(join(tmpdir(), 'roster-init-'));
    const nth = index + 1;
    const full: FsFault = { act: 'ENOSPC', nth, lasting: true, half: true };
    const fault: FsFault = index % 2 === 0 ? full : { act: 'EACCES', nth };
    const { exit, stderr, stdout } = await init(fsFaults(cwd, fault));
    expect({ nth, exit, stdout, left: readdirSync(cwd) }).toEqual({ nth, exit: 1, stdout: '', left: [] });
    expect(stderr).toMatch(/^error\[unwritable-file\]: cannot write\s+\S+:\s[^[]*\s\((ENOSPC|EACCES)\)$/m);
  }
});
