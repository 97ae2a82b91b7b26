import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { command } from './command.js';
import { jsonOf } from './json.js';
import type { Ended } from './program.js';
import { git, Remote } from './repository.js';

/** A manifest as data: JSON is YAML. */
export type Manifest = Readonly<Record<string, unknown>>;

export interface TeamPlan {
  readonly digest: string;
  readonly unmanaged: Readonly<Record<string, number>>;
  readonly changes: readonly {
    readonly address: string;
    readonly action: string;
    readonly risks: readonly { readonly code: string }[];
    readonly notes?: readonly string[];
  }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

/** A clone of a repository with several projects of one account, each in a folder of its name. */
export class Team {
  readonly remote = new Remote();
  readonly root = this.remote.clone();
  env: Record<string, string> = {};

  constructor(
    readonly sandbox: Sandbox,
    projects: Readonly<Record<string, Manifest>> = {},
  ) {
    for (const [name, manifest] of Object.entries(projects)) this.declare(name, manifest);
  }

  /** Writes the project file, and tells git of it. */
  declare(name: string, manifest: Manifest): void {
    this.write(`${name}/roster.yaml`, JSON.stringify({ project: name, ...manifest }, null, 2));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
    this.git('add', '--all');
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
    this.git('add', '--all');
  }

  git(...words: string[]): string {
    return git(this.root, ...words);
  }

  /** In the folder of a project. */
  run(name: string, ...words: string[]): Promise<Ended> {
    const own = { ROSTER_URL: this.sandbox.url, ROSTER_API_KEY: this.sandbox.apiKey, ...this.env };
    return command(words, { cwd: join(this.root, name), env: own });
  }

  async plan(name: string, ...words: string[]): Promise<TeamPlan> {
    return jsonOf<TeamPlan>(await this.run(name, 'plan', '--format', 'json', ...words));
  }

  /** `adopt group/a`, in the order of the plan. */
  async actions(name: string, ...words: string[]): Promise<string[]> {
    return actionsOf(await this.plan(name, ...words));
  }

  async apply(name: string, ...words: string[]): Promise<void> {
    const { exit, stderr } = await this.run(name, 'apply', '--yes', ...words);
    expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
  }

  /** The deletes that the service has received since the last call. */
  takeDeletes(): string[] {
    const { requests } = this.sandbox;
    const deletes = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    requests.length = 0;
    return deletes;
  }
}

export function actionsOf({ changes }: TeamPlan): string[] {
  return changes.map(({ action, address }) => `${action} ${address}`);
}
