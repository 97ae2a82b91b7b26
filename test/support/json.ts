import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// The type of what JSON.parse returns, so that a test can name only the fields it looks at.
type Parsed = ReturnType<typeof JSON.parse>;

/** What a command printed with `--format json`. If that is not JSON, the failure shows all that the command printed. */
export function jsonOf<T = Parsed>({ stdout, stderr = '' }: { stdout: string; stderr?: string }): T {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`The command printed no JSON.\nstdout: ${stdout}\nstderr: ${stderr}`);
  }
}

/** The codes of the diagnostics that a command printed with `--format json`, in their order. */
export function codesPrinted(ran: { stdout: string; stderr?: string }): string[] {
  return jsonOf<{ diagnostics: { code: string }[] }>(ran).diagnostics.map(({ code }) => code);
}

/** What a project's inventory file holds. */
export function inventoryAt<T = Parsed>(root: string, file = 'roster.inventory.json'): T {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
