import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { diagnose } from '../ci/doctor.js';
import { GitExit, type JobEnvironment, JobGit } from '../ci/git.js';
import type { Roster, RosterPlace, Subject } from '../ci/host.js';
import { type CiJob, checkFormat, ciOf, runJob, type Task } from '../ci/job.js';
import type { SettingCheck } from '../ci/setting.js';
import { clockOf } from '../engine/clock.js';
import { projectNames, readable } from '../engine/outline.js';
import { fileOf } from '../engine/project.js';
import { problem } from '../model/diagnostic.js';
import type { Verify } from '../model/run.js';
import { count } from '../model/words.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import type { CommandResult, Definition, FlagsOf, Implementation, RunContext } from './command/command.js';
import { exitCode } from './command/exit.js';
import { runCommand } from './command/run-command.js';
import type {
  ciApplyCommand,
  ciCommand,
  ciDoctorCommand,
  ciDriftCommand,
  ciPlanCommand,
  ciPullCommand,
  ciRecordCommand,
  ciReviewCommand,
  ciShowCommand,
} from './commands/ci.js';
import { dataCheckCommand } from './commands/data.js';
import { driftCommand, snapshotCommand } from './commands/inspect.js';
import { applyCommand, planCommand } from './commands/plan.js';
import { pullCommand } from './commands/project.js';
import { runCommand as startCommand, statusCommand } from './commands/watch.js';
import type { CommandContext } from './host/host.js';
import { Output } from './host/output.js';

type Flags = Pick<
  FlagsOf<typeof ciShowCommand>,
  'file' | 'env' | 'var' | 'url' | 'api' | 'verbose' | 'color'
>;

/** `roster ci`: which CI this is. */
export const runCi: Implementation<typeof ciCommand> = async (_flags, { host }) => {
  const name = ciOf(host.env).host === 'github' ? 'GitHub Actions' : 'GitLab CI';
  return { render: { text: () => `This job runs in ${name}. \`roster ci --help\` lists what jobs do.\n` } };
};

export const runCiPlan: Implementation<typeof ciPlanCommand> = (flags, context) =>
  doTask(flags, context, { do: 'plan', live: flags.live === true });

export const runCiRecord: Implementation<typeof ciRecordCommand> = (flags, context) =>
  doTask(flags, context, { do: 'record', artifacts: flags.artifacts });

export const runCiShow: Implementation<typeof ciShowCommand> = (flags, context) =>
  doTask(flags, context, { do: 'show', recorded: flags.recorded });

export const runCiReview: Implementation<typeof ciReviewCommand> = (flags, context) =>
  doTask(flags, context, { do: 'review' });

export const runCiApply: Implementation<typeof ciApplyCommand> = (flags, context) =>
  doTask(flags, context, { do: 'apply', digest: flags.expect, verify: verifyOf(flags.verify) });

function verifyOf(flag: FlagsOf<typeof ciApplyCommand>['verify']): Verify | null {
  if (flag === undefined) return null;
  if (flag === true || flag === 'status') return 'status';
  if (flag === 'start') return 'start';
  throw problem('usage', `--verify: unknown value "${flag}"`, 'One of: status, start.');
}

export const runCiDrift: Implementation<typeof ciDriftCommand> = (flags, context) =>
  doTask(flags, context, { do: 'drift', applied: flags.applied });

export const runCiPull: Implementation<typeof ciPullCommand> = (flags, context) =>
  doTask(flags, context, { do: 'pull' });

/** `roster ci doctor`: which settings of the repository are missing. */
export const runCiDoctor: Implementation<typeof ciDoctorCommand> = async (
  flags,
  { host, output, signal },
) => {
  const { cwd, env } = host;
  const file = fileOf({ file: flags.file, env });
  const log = (text: string) => output.err(text);
  const clock = clockOf(host);
  const found = await topLevelOf(cwd, env, signal);
  const folder = dirname(pathFromRoot(found, resolve(cwd, file ?? 'roster.yaml')));
  const { environments } = projectNames({ file, cwd, env });
  const checks = await diagnose({
    env,
    git: new JobGit(found, env, log, signal),
    folder,
    environments,
    log,
    now: clock.now(),
    sleep: clock.sleep,
    signal,
  });
  const missing = checks.filter(({ state }) => state === 'missing').length;
  return {
    exit: missing === 0 ? exitCode.fine : exitCode.error,
    render: {
      text: () => doctorText(checks, missing),
      json: () => jsonText({ formatVersion: 1, checks }),
    },
  };
};

async function topLevelOf(cwd: string, env: JobEnvironment, signal: AbortSignal): Promise<string> {
  try {
    // What git says is in the message.
    return await new JobGit(cwd, env, () => undefined, signal).run(['rev-parse', '--show-toplevel']);
  } catch (failure) {
    if (!(failure instanceof GitExit)) throw failure;
    throw problem('usage', 'this is not a git repository', 'Run it in the checkout of the project.');
  }
}

function doctorText(checks: readonly SettingCheck[], missing: number): string {
  const lines = checks.map(
    ({ state, what, detail, page }) =>
      `${state.padEnd(8)} ${what}${detail === undefined ? '' : ` (${detail})`}${state === 'ok' ? '' : `: ${page}`}`,
  );
  const unknown = checks.some(({ state }) => state === 'unknown')
    ? [
        '',
        "Some settings could not be read: use a token with permission to read them, such as an administrator's.",
      ]
    : [];
  const last = missing === 0 ? 'Nothing is missing.' : `${count(missing, 'setting')} missing.`;
  return `${[...lines, ...unknown, '', last].map(escapeControls).join('\n')}\n`;
}

function pathFromRoot(root: string, file: string): string {
  return relative(realpathSync(root), join(realpathSync(dirname(file)), 'roster.yaml'))
    .split(sep)
    .join('/');
}

async function doTask(flags: Flags, context: RunContext, task: Task): Promise<CommandResult<'text'>> {
  const { output, signal } = context;
  const { env } = context.host;
  const { file, url, api } = flags;
  const roster = rosterOf(flags, context);
  const ci = ciOf(env);
  checkFormat(ci);
  const subject = subjectOf({ file, environment: flags.env }, context, ci.root);
  const needsUrl = !['plan', 'record', 'show'].includes(task.do) || (task.do === 'plan' && task.live);
  // Without it, files of the repository would decide where the key is sent.
  if (needsUrl && (url ?? env['ROSTER_URL'] ?? '') === '')
    throw problem(
      'usage',
      'ROSTER_URL: is not set',
      'Set this variable of the CI to the URL of the service.',
    );
  const given = env['RUNNER_TEMP'] ?? '';
  const temp = given === '' ? mkdtempSync(join(tmpdir(), 'roster-ci-')) : given;
  const job: CiJob = {
    env,
    subject,
    api,
    signal,
    temp,
    roster,
    sleep: clockOf(context.host).sleep,
    log: (text) => output.err(text),
    out: (text) => output.out(text),
  };
  try {
    return { exit: await runJob(job, task), render: { text: () => '' } };
  } finally {
    if (given === '') rmSync(temp, { recursive: true, force: true });
  }
}

function subjectOf(
  selected: { readonly file: string | undefined; readonly environment: string | undefined },
  { host: { cwd, env } }: CommandContext,
  root: string,
): Subject {
  const { project, environment } = readable({ ...selected, cwd, env });
  const path = relative(root, resolve(cwd, fileOf({ ...selected, env }) ?? 'roster.yaml'));
  if (project === null)
    throw problem(
      'usage',
      `${path} names no project`,
      'Pass the project file with `-f`, from the root of the repository.',
    );
  return { project, environment, file: path.split(sep).join('/') };
}

/** A rehearsal of more calls takes longer than a reviewer should wait for. */
const MOST_REHEARSED = 500;

/** The commands that jobs run, with the flags of the job. */
function rosterOf(flags: Flags, context: CommandContext): Roster {
  const { env, var: vars, url, verbose, color } = flags;
  const common = {
    ...(env === undefined ? {} : { env }),
    ...(vars === undefined ? {} : { var: vars }),
    ...(verbose === undefined ? {} : { verbose }),
    ...(color === undefined ? {} : { color }),
  };
  const service = { ...common, ...(url === undefined ? {} : { url }) };
  const inPlace = (place: RosterPlace, output = context.output): CommandContext => {
    const { host } = context;
    const policiesFrom = { cwd: host.cwd, notIn: place.proposed ?? null };
    return { ...context, output, host: { ...host, cwd: place.cwd, env: place.env, policiesFrom } };
  };
  return {
    async plan(place, { snapshot, out, pageLink, linkBase, rehearse = false, ...files }) {
      const { runPlan } = await import('./plan.js');
      const given = defined({ snapshot, out, pageLink, linkBase });
      const own = snapshot === undefined ? service : common;
      const all = { ...own, ...given, file: place.file, write: writes(files), rehearse };
      return run(planCommand, all, inPlace(place), (each) => runPlan([], all, each, MOST_REHEARSED));
    },
    async apply(place, plan) {
      const { runApply } = await import('./apply.js');
      const all = { ...service, ...plan, file: place.file, resume: true, lockTimeout: '5m' };
      return run(applyCommand, all, inPlace(place), (running) => runApply([], all, running));
    },
    async snapshot(place, out) {
      const { runSnapshot } = await import('./inspect.js');
      const all = { ...service, file: place.file, out };
      return run(snapshotCommand, all, inPlace(place), (running) => runSnapshot(all, running));
    },
    async drift(place, files) {
      const { runDrift } = await import('./inspect.js');
      const all = { ...service, file: place.file, write: writes(files) };
      return run(driftCommand, all, inPlace(place), (running) => runDrift([], all, running));
    },
    async dataCheck(place, files) {
      const { runDataCheck } = await import('./data/check.js');
      const all = { ...service, file: place.file, write: writes(files) };
      return run(dataCheckCommand, all, inPlace(place), (running) => runDataCheck([], all, running));
    },
    async start(place, ofCommit) {
      const { runRun } = await import('./run.js');
      const all = { ...service, file: place.file, changed: true, holdOnFailure: true, yes: true };
      return run(startCommand, all, inPlace(place), (running) => runRun([], all, running, ofCommit));
    },
    async status(place, how) {
      const { runStatus } = await import('./status.js');
      const own = 'check' in how ? { check: true, since: 'apply' } : { write: writes(how) };
      const all = { ...service, ...own, file: place.file };
      return run(statusCommand, all, inPlace(place), (running) => runStatus([], all, running));
    },
    async pull(place, addresses) {
      const { runPull } = await import('./pull.js');
      const recorder = new RecordingOutput();
      const all = { ...service, file: place.file };
      const running = inPlace(place, recorder);
      const exit = await run(pullCommand, all, running, (each) => runPull(addresses, all, each));
      return { exit, printed: recorder.text };
    },
  };
}

/** As a command line would. */
function run<D extends Definition>(
  definition: D,
  flags: object,
  context: CommandContext,
  runner: (context: RunContext) => Promise<CommandResult<D['formats'][number]>>,
): Promise<number> {
  return runCommand<D['formats'][number]>(definition, flags, context, runner);
}

type Files = Readonly<Record<string, string | undefined>>;

function writes(files: object): readonly string[] {
  return Object.entries(files as Files).flatMap(([format, file]) =>
    file === undefined ? [] : [`${format}=${file}`],
  );
}

function defined(values: Files): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** Prints, and remembers what it has printed. */
class RecordingOutput extends Output {
  text = '';

  protected override write(file: 1 | 2, text: string): void {
    this.text += this.redactor.text(text);
    super.write(file, text);
  }
}
