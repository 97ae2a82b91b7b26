import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { diagnosticsPage, diagnosticsPath } from '../../scripts/docs.js';

it('docs/diagnostics.md is up to date (`npm run docs` writes it)', () => {
  expect(readFileSync(diagnosticsPath, 'utf8')).toBe(diagnosticsPage());
});
