import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, initRepository } from '../repository.js';
import { mustHide } from '../secrets.js';
import { asRoster } from './resident.js';

export interface Ran {
  readonly exit: number | null;
  /** stdout and stderr combined, as in a job log. */
  readonly log: string;
}

const secret = /(KEY|TOKEN)$/;

export interface MachineOptions {
  /** Use the machine's npm, without a registry, instead of one that installs this build whatever the tarball. */
  realNpm?: boolean;
  /** The beginning of the names of artifacts that cannot be uploaded. */
  refusedUploads?: string;
}

/** A clean machine without roster, with npm to install it and the programs that every runner has. */
export class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-runner-'));
  readonly workspace = join(this.root, 'workspace');
  readonly temp = join(this.root, 'temp');
  readonly home = join(this.root, 'home');
  private readonly bin = join(this.root, 'bin');

  /** `kept` is a folder that is kept when the machine is removed. */
  constructor(
    readonly kept: string = tmpdir(),
    private readonly options: MachineOptions = {},
  ) {
    for (const folder of [this.workspace, this.temp, this.home, this.bin, join(this.root, 'npm')]) {
      mkdirSync(folder);
    }
    symlinkSync(process.execPath, join(this.bin, 'node'));
    if (options.realNpm === true) return;
    this.command('roster-of-this-build', asRoster);
    this.command('npm', npm(this.bin));
  }

  mayUpload(artifact: string): boolean {
    const { refusedUploads } = this.options;
    return refusedUploads === undefined || !artifact.startsWith(refusedUploads);
  }

  /** As in an image that contains roster. */
  installed(): void {
    this.command('roster', asRoster);
  }

  /** Adds a program to the PATH. */
  command(name: string, script: string): void {
    const path = join(this.bin, name);
    writeFileSync(path, `#!/bin/bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** Checks out one commit of a repository, as runners do: the last one of `ref`, or an earlier one. */
  checkOut(url: string, ref: string, { path = '.', all = false, commit = 'FETCH_HEAD' } = {}): void {
    const folder = join(this.workspace, path);
    mkdirSync(folder, { recursive: true });
    initRepository(folder, url);
    const what = all ? [ref, '+refs/heads/*:refs/remotes/origin/*'] : [ref];
    git(folder, 'fetch', '--quiet', ...(all ? [] : ['--depth', '1']), 'origin', ...what);
    git(folder, 'checkout', '--quiet', '--detach', commit);
  }

  /** Runs a bash script with only these variables. Its output must not contain a secret. */
  run(script: string, folder: string, env: Readonly<Record<string, string>>): Promise<Ran> {
    const path = join(this.temp, 'script.sh');
    writeFileSync(path, `exec 2>&1\n${script}`);
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', path], {
      cwd: join(this.workspace, folder),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: `${this.bin}:${join(this.root, 'npm', 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: this.home,
        TMPDIR: this.temp,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_SYSTEM: '/dev/null',
        CI: 'true',
        ...(this.options.realNpm === true ? this.npmSettings() : {}),
        ...env,
      },
    });
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exit) => {
        try {
          mustHide(
            'the log',
            log,
            Object.entries(env)
              .flatMap(([name, value]) => (secret.test(name) ? [value] : []))
              .filter(Boolean),
          );
          resolve({ exit, log });
        } catch (shown) {
          reject(shown);
        }
      });
    });
  }

  /** Nothing answers at that registry. */
  private npmSettings(): Record<string, string> {
    return {
      npm_config_prefix: join(this.root, 'npm'),
      npm_config_cache: join(this.root, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_update_notifier: 'false',
    };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A fake npm for the command lines of the pipelines. */
function npm(bin: string): string {
  return `if [[ "$*" == "ci --ignore-scripts --no-audit --no-fund --prefix "* && -f "\${@: -1}/package-lock.json" ]]; then
  mkdir -p "\${@: -1}/node_modules/.bin"
  cp '${bin}/roster-of-this-build' "\${@: -1}/node_modules/.bin/roster"
  exit
fi
if [[ "$*" != "install --global --ignore-scripts --offline --no-audit --no-fund "*.tgz || ! -f "\${@: -1}" ]]; then
  echo "npm: not understood: $*" >&2; exit 1
fi
cp '${bin}/roster-of-this-build' '${bin}/roster'`;
}
