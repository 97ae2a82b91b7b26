import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { program } from '../program.js';
import { git } from '../repository.js';
import { mustHide } from '../secrets.js';

export interface Ran {
  readonly exit: number | null;
  /** stdout and stderr combined, as in a job log. */
  readonly log: string;
}

const secret = /(KEY|TOKEN)$/;

/** A clean machine without roster, with npm to install it and the programs that every runner has. */
export class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-runner-'));
  readonly workspace = join(this.root, 'workspace');
  readonly temp = join(this.root, 'temp');
  readonly home = join(this.root, 'home');
  private readonly bin = join(this.root, 'bin');

  constructor() {
    for (const folder of [this.workspace, this.temp, this.home, this.bin, join(this.root, 'npm')]) {
      mkdirSync(folder);
    }
    symlinkSync(process.execPath, join(this.bin, 'node'));
    this.command('npm', npm(join(this.root, 'npm'), this.bin));
  }

  /** Adds a program to the PATH. */
  command(name: string, script: string): void {
    const path = join(this.bin, name);
    writeFileSync(path, `#!/bin/bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** Checks out one commit of a repository, as runners do. */
  checkOut(url: string, ref: string): void {
    git(this.workspace, 'init', '--quiet');
    git(this.workspace, 'remote', 'add', 'origin', url);
    git(this.workspace, 'fetch', '--quiet', '--depth', '1', 'origin', ref);
    git(this.workspace, 'checkout', '--quiet', '--detach', 'FETCH_HEAD');
  }

  /** Runs a bash script with only these variables. Its output must not contain a secret. */
  run(script: string, folder: string, env: Readonly<Record<string, string>>): Promise<Ran> {
    const path = join(this.temp, 'script.sh');
    writeFileSync(path, `exec 2>&1\n${script}`);
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', path], {
      cwd: join(this.workspace, folder),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: `${this.bin}:${process.env['PATH'] ?? ''}`,
        HOME: this.home,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_SYSTEM: '/dev/null',
        CI: 'true',
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

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A fake npm for the one command line of the pipelines: it installs this build of roster. */
function npm(folder: string, bin: string): string {
  return `if [ "$*" != "install --global --ignore-scripts roster@${manifest.version}" ]; then
  echo "npm: not understood: $*" >&2; exit 1
fi
printf '#!/bin/bash\\nexec %q %q "$@"\\n' '${process.execPath}' '${program}' > '${join(folder, 'roster')}'
chmod 755 '${join(folder, 'roster')}'
ln -s '${join(folder, 'roster')}' '${bin}/roster'`;
}

export const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
