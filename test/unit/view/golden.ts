import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Compares with a golden file; UPDATE_GOLDEN=1 writes it anew, for the diff to be read before it is committed. JSON
 * goldens end in .json.txt, because the formatter would lay them out in its own way.
 */
export function expectGolden(name: string, actual: string): void {
  const path = fileURLToPath(new URL(`./golden/${name}`, import.meta.url));
  // Escape characters are spelt out, so that the files can be read and reviewed.
  const text = actual.replaceAll('\u001b', '\\e');
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text, `golden file ${name}`).toBe(existsSync(path) ? readFileSync(path, 'utf8') : '');
}
