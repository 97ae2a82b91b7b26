import { expect, test } from 'vitest';
import { command } from '../support/command.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

/** Names that a reviewer takes for other names. */

async function planOf(format: string): Promise<string> {
  const sandbox = await startSandbox({
    seed: {
      agents: [
        { externalAgentId: 'acme-shop', name: 'Acme' },
        { externalAgentId: 'acme-sh\u043ep', name: 'Other' },
      ],
      groups: [{ name: 'PAY', members: [] }],
    },
  });
  const groups = {
    retail: { name: 'Ret\u0430il', members: [] },
    pay: { name: '\u0420\u0410\u0423', members: ['acme-sh\u043ep'] },
    wide: { name: 'Wide\u00a0prices', members: [] },
    ordinary: { name: 'Цены Amazon', members: ['acme-shop'] },
  };
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify({ project: 'names', groups }) }, sandbox);
  const { exit, stdout } = await command(['plan', '--format', format], {
    cwd: workspace.root,
    env: workspace.env,
  });
  expect(exit).toBe(0);
  // Markdown shows some words as code, and JSON escapes quotes.
  return stdout.replace(/[\\`]/g, '').replace(/\s+/g, ' ');
}

test.each(['text', 'json', 'markdown'])(
  'the plan marks names that look like others, as %s',
  async (format) => {
    const plan = await planOf(format);
    const marks = [
      'contains U+0430 (Cyrillic, looks like "a")',
      'looks like "PAY", which also exists',
      'contains U+043E (Cyrillic, looks like "o")',
      'contains U+00A0 (an unusual space)',
    ];
    for (const mark of marks) expect(plan).toContain(mark);
    // Where an agent of such a name exists, the one that it imitates is marked as well.
    expect(plan).toContain('"acme-shop" looks like "acme-sh\u043ep"');
    expect(plan.match(/contains U\+/g)).toHaveLength(3);
  },
);
