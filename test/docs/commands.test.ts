import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage, commandsPath } from '../../scripts/docs.js';

it('docs/commands.md shows the current help of every command (`npm run docs` writes it)', () => {
  expect(readFileSync(commandsPath, 'utf8')).toBe(commandsPage());
});
