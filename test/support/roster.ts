import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ApplyFlags, runApply } from '../../src/cli/apply.js';
import { runCommand } from '../../src/cli/command/run-command.js';
import { reportUsage, usageProblem } from '../../src/cli/command/usage.js';
import { applyCommand, planCommand } from '../../src/cli/commands/plan.js';
import { validateCommand } from '../../src/cli/commands/project.js';
import { commands, commandsFor, ordered } from '../../src/cli/commands.js';
import type { CommandContext, Host } from '../../src/cli/host/host.js';
import { Output } from '../../src/cli/host/output.js';
import { type PlanFlags, runPlan } from '../../src/cli/plan.js';
import { buildProgram } from '../../src/cli/program.js';
import { runValidate } from '../../src/cli/validate.js';
import type { PlanJson, ReportJson } from '../../src/view/json/plan-json.js';
import { jsonOf } from './json.js';
import type { Screen } from './screen.js';
import { mustHide, secretsOf } from './secrets.js';

/** A window, and which streams it shows: the others are redirected. */
export interface Terminal {
  readonly screen: Screen;
  readonly shows: readonly ('stdout' | 'stderr')[];
}

/** Captures what the program prints, redacted like every output. */
export class Captured extends Output {
  stdout = '';
  stderr = '';
  both = '';

  constructor(private readonly terminal: Terminal | null = null) {
    super();
  }

  protected override write(file: 1 | 2, text: string): void {
    const shown = this.redactor.text(text);
    if (file === 1) this.stdout += shown;
    else this.stderr += shown;
    this.both += shown;
    if (this.terminal?.shows.includes(file === 1 ? 'stdout' : 'stderr')) this.terminal.screen.write(shown);
  }
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** In the order of a terminal. */
  readonly both: string;
}

/** A project folder in the temp folder of the run, which is removed at its end, with commands that run in this process. */
export class Workspace {
  readonly root: string;
  /** How the commands wait; in real time by default. */
  sleep: Host['sleep'];
  /** The current time; that of the machine by default. */
  now: Host['now'];
  env: Record<string, string>;
  /** The values of `env` that no command may print. */
  secretsOf: (env: Readonly<Record<string, string>>) => readonly string[] = secretsOf;
  /** Where the commands run. Default: without a terminal. */
  terminal: Terminal | null = null;
  /** Interrupts the commands. */
  readonly stop = new AbortController();

  constructor(
    files: Readonly<Record<string, string>>,
    service: { url: string; apiKey: string },
    root = mkdtempSync(join(tmpdir(), 'roster-test-')),
  ) {
    this.root = root;
    this.env = { ROSTER_URL: service.url, ROSTER_API_KEY: service.apiKey, PATH: process.env['PATH'] ?? '' };
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  validate(): Promise<Ran> {
    return this.run((context) =>
      runCommand(validateCommand, {}, context, (running) => runValidate({}, running)),
    );
  }

  plan(flags: PlanFlags = {}, addresses: string[] = [], mostRehearsed?: number): Promise<Ran> {
    return this.run((context) =>
      runCommand(planCommand, flags, context, (running) => runPlan(addresses, flags, running, mostRehearsed)),
    );
  }

  apply(flags: ApplyFlags = {}, addresses: string[] = []): Promise<Ran> {
    const given = { yes: true, ...flags };
    return this.run((context) =>
      runCommand(applyCommand, given, context, (running) => runApply(addresses, given, running)),
    );
  }

  async planJson(flags: PlanFlags = {}): Promise<PlanJson & Ran> {
    const ran = await this.plan({ ...flags, format: 'json' });
    return { ...ran, ...jsonOf<PlanJson>(ran) };
  }

  async applyJson(flags: ApplyFlags = {}): Promise<ReportJson & Ran> {
    const ran = await this.apply({ ...flags, format: 'json' });
    return { ...ran, ...jsonOf<ReportJson>(ran) };
  }

  /** Runs a command line, as typed. */
  command(typed: readonly string[], interrupted = false): Promise<Ran> {
    const words = ordered(typed);
    return this.run(async (context) => {
      let code = 0;
      const signal = interrupted ? AbortSignal.abort() : context.signal;
      const done = (each: number) => {
        code = each;
      };
      const build = (some = commands) => buildProgram(some, { ...context, signal }, done);
      try {
        await build(commandsFor(words[0])).parseAsync([...words], { from: 'user' });
        return code;
      } catch (failure) {
        const problem = usageProblem(failure, build, words);
        return problem === null ? 0 : reportUsage(problem, words, context.output);
      }
    });
  }

  private async run(command: (context: CommandContext) => Promise<number>): Promise<Ran> {
    const window = this.terminal;
    const output = new Captured(window);
    const host: Host = {
      cwd: this.root,
      env: this.env,
      stdinIsTerminal: false,
      stdoutIsTerminal: window?.shows.includes('stdout') ?? false,
      stderrIsTerminal: window?.shows.includes('stderr') ?? false,
      get columns() {
        return window?.screen.columns ?? null;
      },
      get rows() {
        return window?.screen.rows ?? null;
      },
      sleep: this.sleep,
      now: this.now,
    };
    const { signal } = this.stop;
    const exit = await command({ host, output, signal, stopped: Promise.resolve() });
    // In every test: no command prints the key, or a value from the environment.
    const secrets = this.secretsOf(this.env);
    mustHide('stdout', output.stdout, secrets);
    mustHide('stderr', output.stderr, secrets);
    return { exit, stdout: output.stdout, stderr: output.stderr, both: output.both };
  }
}
