import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Loaded, type LoadOptions, loadProject } from '../../../src/manifest/load.js';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import type { JsonObject } from '../../../src/model/json.js';
import type { Kind, ReadContext } from '../../../src/model/kind.js';

export type FileTree = Readonly<Record<string, string | Uint8Array>>;

/** A folder with the given files, gone after `use`. */
export function inFolder<T>(files: FileTree, use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'roster-manifest-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function loadFrom(folder: string, options: Partial<LoadOptions> = {}): Loaded {
  return loadProject({ cwd: folder, environment: null, env: {}, kinds: fakeKinds, ...options });
}

export function load(files: FileTree | string, options: Partial<LoadOptions> = {}): Loaded {
  const tree = typeof files === 'string' ? { 'roster.yaml': files } : files;
  return inFolder(tree, (folder) => loadFrom(folder, options));
}

/** `roster.yaml:2:3 code`, with the text that is underlined. */
export function summary({ place, code, severity }: Diagnostic): string {
  const where = place === undefined ? '-' : `${place.file}:${place.line}:${place.column}`;
  const text = place?.lineText.slice(place.column - 1, place.column - 1 + place.length);
  return `${where} ${severity === 'warning' ? 'warning ' : ''}${code}${text === undefined ? '' : ` «${text}»`}`;
}

export function problems(files: FileTree | string, options: Partial<LoadOptions> = {}): string[] {
  return load(files, options).diagnostics.map(summary);
}

const references = {
  field: 'target',
  kinds: ['group', 'pipeline'],
  inEntry: ({ entry: { target } }: { entry: JsonObject }) =>
    typeof target === 'string' && !target.startsWith('agent/') ? [target] : [],
};

/** Returns what it was given, and is as strict about `cron` as a test needs. */
function fake(name: string, section: string): Kind {
  const kind = {
    name,
    section,
    fields: { description: { mayHoldSecrets: true }, inputs: { mayHoldSecrets: true } },
    read(entry: JsonObject, key: string, { report, scopes }: ReadContext) {
      const problem = { severity: 'error', code: 'invalid-cron', path: ['cron'] } as const;
      const message = `"${entry['cron']}" is no cron`;
      if (entry['cron'] === 'never') report({ ...problem, message });
      if (String(entry['cron'] ?? '').startsWith('secret'))
        report({ ...problem, message, help: `not ${entry['cron']}` });
      if (entry['description'] === 'warn')
        report({
          severity: 'warning',
          code: 'past-once',
          path: ['members', 1, 'deeper'],
          message: `name ${entry['name']}`,
        });
      return { entry, key, scopes };
    },
    identity: {
      ofDeclared: ({ entry, key }: { entry: JsonObject; key: string }) =>
        section === 'schedules' ? null : String(entry['name'] ?? key),
    },
    ...(section === 'schedules' ? { references } : {}),
  };
  return kind as unknown as Kind;
}

const fakeKinds: readonly Kind[] = [
  fake('group', 'groups'),
  fake('pipeline', 'pipelines'),
  fake('schedule', 'schedules'),
  fake('key', 'keys'),
];
