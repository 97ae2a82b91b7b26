import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Variables that tests set and that are not secret. */
const open = new Set([
  'PATH',
  'HOME',
  'ROSTER_URL',
  'ROSTER_ENV',
  'ROSTER_FILE',
  'ROSTER_READ_ONLY',
  'ROSTER_INVENTORY',
  'ROSTER_API_KEY_FILE',
  'CI',
  'NO_COLOR',
  'TERM',
  'TZ',
  'LANG',
  'COLUMNS',
  'GITHUB_WORKSPACE',
  'GITHUB_SERVER_URL',
  'GITHUB_REPOSITORY',
  'GITHUB_SHA',
  'GITHUB_ACTOR',
  'GITHUB_OUTPUT',
  'GITHUB_STEP_SUMMARY',
  'CI_PROJECT_URL',
  'CI_COMMIT_SHA',
  'FS_FAULTS',
  // `/dev/null`, which patches name, too.
  'GIT_CONFIG_GLOBAL',
  // Its value is a word of the formats themselves.
  'WORD',
  'NODE_EXTRA_CA_CERTS',
  'NO_PROXY',
  'no_proxy',
]);

/** All values of an environment that must never be shown. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (open.has(name) || value === undefined || value.length < 3) return [];
    return /^https_proxy$/i.test(name) ? credentialsIn(value) : [value];
  });
}

/** The host of a proxy is not a secret. */
function credentialsIn(proxy: string): string[] {
  const [, user = '', password = ''] = /^\w+:\/\/([^:@]*):([^@]*)@/.exec(proxy) ?? [];
  return [user, password, decodeURIComponent(password)].filter((each) => each.length > 2);
}

/** Throws if a text contains a secret in a form that can be decoded. */
export function mustHide(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const [form, written] of formsOf(secret)) {
      if (text.includes(written))
        throw new Error(`${where} shows a secret, ${form}: ${around(text, text.indexOf(written))}`);
      if (onOneLine(text).includes(onOneLine(written)))
        throw new Error(`${where} shows a secret, ${form}, over several lines: ${text}`);
    }
  }
}

/** The text of every file below a folder, by path, except those whose path contains a name of `except`. */
export function filesBelow(folder: string, except: readonly string[] = []): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return new Map(
    files
      .filter((path) => !except.some((name) => path.includes(name)))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

function formsOf(secret: string): [form: string, written: string][] {
  const bytes = Buffer.from(secret);
  // Inside a longer text, base64 depends on what precedes it: search for the part that does not.
  const shifted = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(before === 0 ? 0 : before + 1, -1);
  });
  const encoded: [string, string][] = [
    ...shifted.map((text): [string, string] => ['in base64', text]),
    ['in hexadecimal', bytes.toString('hex')],
    ['in HEXADECIMAL', bytes.toString('hex').toUpperCase()],
  ];
  return [
    ['plain', secret],
    ['JSON-escaped', JSON.stringify(secret).slice(1, -1)],
    ['URL-escaped', encodeURIComponent(secret)],
    ['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
    ...(bytes.length < 8 ? [] : encoded),
  ];
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function around(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
}
