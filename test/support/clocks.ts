import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const module = fileURLToPath(new URL('./moved-clock.cjs', import.meta.url));

/** Modules to load before the command, each with clocks of its own. */
export class Clocks {
  private readonly folder = mkdtempSync(join(tmpdir(), 'roster-clocks-'));
  private readonly epoch = Date.now();
  private count = 0;

  /** The path of a module. `speed`: seconds that pass in one. `offset`: minutes that the wall clock is ahead. */
  make(speed: number, offset = 0): string {
    this.count += 1;
    const path = join(this.folder, `clock-${this.count}.cjs`);
    writeFileSync(path, `require(${JSON.stringify(module)})(${this.epoch}, ${speed}, ${offset});\n`);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
