import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { apply } from '../../src/cli/apply.js';
import { Output } from '../../src/cli/output.js';
import { plan } from '../../src/cli/plan.js';
import { buildProgram, usageMessage } from '../../src/cli/program.js';
import type { ApplyFlags, Host, PlanFlags } from '../../src/cli/settings.js';
import { reportUsage } from '../../src/cli/usage.js';
import { validate } from '../../src/cli/validate.js';
import type { PlanJson, ReportJson } from '../../src/view/json/plan-json.js';
import { mustHide, secretsOf } from './secrets.js';

/** Captures what the program prints, redacted like every output. */
class Captured extends Output {
  stdout = '';
  stderr = '';
  override out(text: string): void {
    this.stdout += this.redact(text);
  }
  override err(text: string): void {
    this.stderr += this.redact(text);
  }
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project folder, with commands that run in this process instead of a new one. */
export class Workspace {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-test-'));
  /** How the commands wait; in real time by default. */
  sleep: Host['sleep'];
  /** The current time; that of the machine by default. */
  now: Host['now'];
  env: Record<string, string>;

  constructor(files: Readonly<Record<string, string>>, service: { url: string; apiKey: string }) {
    this.env = { ROSTER_URL: service.url, ROSTER_API_KEY: service.apiKey, PATH: process.env['PATH'] ?? '' };
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  validate(): Promise<Ran> {
    return this.run((host, output) => validate({}, host, output));
  }

  plan(flags: PlanFlags = {}, addresses: string[] = []): Promise<Ran> {
    return this.run((host, output) => plan(addresses, flags, host, output));
  }

  apply(flags: ApplyFlags = {}, addresses: string[] = []): Promise<Ran> {
    const never = { requested: () => false, signal: new AbortController().signal };
    return this.run((host, output) => apply(addresses, { yes: true, ...flags }, host, output, never));
  }

  async planJson(flags: PlanFlags = {}): Promise<PlanJson & Ran> {
    const ran = await this.plan({ ...flags, format: 'json' });
    return { ...ran, ...(JSON.parse(ran.stdout) as PlanJson) };
  }

  async applyJson(flags: ApplyFlags = {}): Promise<ReportJson & Ran> {
    const ran = await this.apply({ ...flags, format: 'json' });
    return { ...ran, ...(JSON.parse(ran.stdout) as ReportJson) };
  }

  /** Runs a command line, as typed. */
  command(words: readonly string[], interrupted = false): Promise<Ran> {
    return this.run(async (host, output) => {
      let code = 0;
      const interrupts = { requested: () => interrupted, signal: new AbortController().signal };
      const context = { host, output, interrupts, stopped: Promise.resolve() };
      const program = buildProgram(context, (each) => {
        code = each;
      });
      try {
        await program.parseAsync([...words], { from: 'user' });
        return code;
      } catch (failure) {
        const message = usageMessage(failure);
        return message === null ? 0 : reportUsage(message, words, output);
      }
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private async run(command: (host: Host, output: Output) => Promise<number>): Promise<Ran> {
    const output = new Captured();
    const host: Host = {
      cwd: this.root,
      env: this.env,
      stdinIsTerminal: false,
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      columns: null,
      sleep: this.sleep,
      now: this.now,
    };
    const exit = await command(host, output);
    // In every test: no command prints the key or a value from the environment.
    mustHide('stdout', output.stdout, secretsOf(host.env));
    mustHide('stderr', output.stderr, secretsOf(host.env));
    return { exit, stdout: output.stdout, stderr: output.stderr };
  }
}
