import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage, commandsPath, rootHelp, rootHelpPath } from '../../scripts/docs.js';

it('docs/commands.md shows the current help of every command (`npm run docs` writes it)', () => {
  expect(readFileSync(commandsPath, 'utf8')).toBe(commandsPage());
});

it('`roster --help` prints what the commands say of themselves (`npm run docs` writes it)', () => {
  expect(readFileSync(rootHelpPath, 'utf8')).toBe(rootHelp());
});
