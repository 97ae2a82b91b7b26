import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../support/roster.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/policies.md'), 'utf8');
const [, ten = ''] = /\n## Ten policies\n([\s\S]*?)\n## /.exec(page) ?? [];
const sections = ten.split('\n### ').slice(1);
const environments = 'environments: { production: {} }\n';

describe('the policies of docs/policies.md', () => {
  test('are ten', () => expect(sections).toHaveLength(10));

  test.each(sections.map((text) => [text.split('\n')[0] ?? '', text]))('%s', async (_, text) => {
    const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(blocks).toHaveLength(3);
    const [policy = '', fits = '', breaks = ''] = blocks;
    const validate = async (entries: string) => {
      const project = `project: p\npolicies: [policies.yaml]\n${environments}${entries}`;
      const service = { url: 'https://collect.example.com', apiKey: '' };
      const workspace = new Workspace({ 'roster.yaml': project, 'policies.yaml': policy }, service);
      const { exit, stdout } = await workspace.command(['validate', '-e', 'production', '--format', 'json']);
      const { diagnostics } = JSON.parse(stdout) as {
        diagnostics: { code: string; message: string; file: string }[];
      };
      return { exit, diagnostics };
    };
    expect(await validate(fits)).toEqual({ exit: 0, diagnostics: [] });
    const broken = await validate(breaks);
    const [, message = ''] = /message: (.*)/.exec(policy) ?? [];
    expect(broken).toMatchObject({ exit: 1, diagnostics: [{ code: 'policy', file: 'roster.yaml' }] });
    expect(broken.diagnostics[0]?.message.startsWith(message)).toBe(true);
  });
});
