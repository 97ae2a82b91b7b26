import { expect, test } from 'vitest';
import { Workspace } from '../../support/roster.js';

/** What each format makes of trouble that has no place in a manifest. */
const read: Readonly<Record<string, (stdout: string) => unknown>> = {
  json: (stdout) => JSON.parse(stdout).diagnostics[0].code,
  github: (stdout) => /^::error title=roster(?::|%3A) ([\w-]+)/.exec(stdout)?.[1],
  sarif: (stdout) => {
    const [run] = JSON.parse(stdout).runs;
    expect([run.results, run.invocations[0].executionSuccessful]).toEqual([[], false]);
    return run.invocations[0].toolConfigurationNotifications[0].descriptor.id;
  },
};

test.each(Object.keys(read))(
  'validate --format %s tells what is wrong outside of the manifests',
  async (format) => {
    const workspace = new Workspace(
      { 'roster.yaml': 'project: p\n' },
      { url: 'http://127.0.0.1:1', apiKey: 'k' },
    );
    try {
      const words = ['validate', '--format', format, '--write', 'json=nowhere/report.json'];
      const { exit, stdout } = await workspace.command(words);
      expect([exit, read[format]?.(stdout)]).toEqual([1, 'unwritable-file']);
    } finally {
      workspace.remove();
    }
  },
);
