import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  commandsPage,
  commandsPath,
  readmePage,
  readmePath,
  rootHelp,
  rootHelpPath,
} from '../../scripts/docs.js';

it('docs/commands.md shows the current help of every command (`npm run docs` writes it)', () => {
  expect(readFileSync(commandsPath, 'utf8')).toBe(commandsPage());
});

it('README.md lists every command (`npm run docs` writes the table)', () => {
  const text = readFileSync(readmePath, 'utf8');
  expect(text).toBe(readmePage());
  expect(text).toContain('| `roster plan [addresses...]` | ');
});

it('`roster --help` prints what the commands say of themselves (`npm run docs` writes it)', () => {
  expect(readFileSync(rootHelpPath, 'utf8')).toBe(rootHelp());
});
