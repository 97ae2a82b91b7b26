import { hostname } from 'node:os';
import { commitFrom, type HistoryCommit, type InventoryHistory } from '../model/inventory.js';
import type { LogEntry, LoggedChange, RunOutcome } from '../model/log.js';
import type { Address } from '../model/resource.js';
import type { Environment } from './git.js';

/** A run while its commits are read. */
type OpenRun = Omit<LogEntry, 'number'>;

/**
 * Puts the commits of each run together: the intent, renewals of its lock, and the outcome. Every other commit is an entry
 * of its own, with its title.
 */
export function runsOf({ commits, lock }: InventoryHistory, now: Date): LogEntry[] {
  const log = new RunLog();
  for (const commit of commits) log.add(commit, messageOf(commit));
  return log.entries(lock, now).map((run, index) => ({ ...run, number: index + 1 }));
}

class RunLog {
  private readonly ended: OpenRun[] = [];
  private open: OpenRun | null = null;

  add(commit: HistoryCommit, message: Message): void {
    switch (message.step) {
      case 'intent':
        this.end(message.takesOver ? 'the next command took over its lock' : NO_RESULT);
        this.open = runOf(commit, message);
        return;
      case 'renewal':
        this.open ??= { ...runOf(commit, message), commits: [] };
        if (isSameRun(this.open, message)) this.open = withCommit(this.open, commit);
        return;
      case 'outcome':
        this.addOutcome(commit, message);
        return;
      default:
        if (message.command === 'unlock') this.end(`${commit.author.name} removed its lock`);
        this.ended.push(otherEntry(commit, message));
    }
  }

  private addOutcome(commit: HistoryCommit, message: Message): void {
    if (this.open !== null && !isSameRun(this.open, message)) this.end(NO_RESULT);
    const run = this.open ?? { ...runOf(commit, message), commits: [] };
    this.ended.push(withOutcome(run, commit, message));
    this.open = null;
  }

  private end(note: string): void {
    if (this.open !== null) this.ended.push(withNote(this.open, note));
    this.open = null;
  }

  entries(lock: InventoryHistory['lock'], now: Date): readonly OpenRun[] {
    return this.open === null ? this.ended : [...this.ended, atEnd(this.open, lock, now)];
  }
}

const NO_RESULT = 'no result was recorded';

function withNote(run: OpenRun, note: string): OpenRun {
  return { ...run, notes: [...run.notes, note] };
}

function withCommit(run: OpenRun, { hash }: HistoryCommit): OpenRun {
  return { ...run, commits: [...run.commits, hash] };
}

function atEnd(run: OpenRun, lock: InventoryHistory['lock'], now: Date): OpenRun {
  if (lock === null) return withNote(run, NO_RESULT);
  const until = lock.until === null ? Number.NaN : Date.parse(lock.until);
  if (until > now.getTime()) return { ...run, outcome: 'running' };
  return withNote(run, `its lock expired at ${lock.until}`);
}

interface Message {
  readonly title: string;
  readonly command: string | null;
  readonly rest: string;
  readonly step: string | null;
  readonly takesOver: boolean;
  readonly changes: readonly LoggedChange[];
  readonly trailers: Readonly<Record<string, string>>;
}

/** Anyone may have written it: a message in another format than roster's is plain text. */
function messageOf({ message }: HistoryCommit): Message {
  const [title = '', ...lines] = message.split('\n');
  const trailers = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^Roster-(\w+): (.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
  const [, command = null, rest = title] = titlePattern('Step' in trailers).exec(title) ?? [];
  const step = command === null ? null : (trailers['Step'] ?? null);
  const takesOver = lines.some((line) => line.startsWith('Takes over the lock of '));
  return { title, command, rest, step, takesOver, changes: lines.flatMap(changeIn), trailers };
}

export function commitOf(message: string): string | null {
  return commitFrom(/^Roster-Commit: (.*)$/m.exec(message)?.[1]);
}

/** A project may set a prefix for its commits. A title that only mentions roster has no trailers of roster. */
function titlePattern(mayHavePrefix: boolean): RegExp {
  return mayHavePrefix ? /^(?:.* )?roster ([a-z][a-z-]*): (.*)$/ : /^roster ([a-z][a-z-]*): (.*)$/;
}

const changeLine =
  /^ {2}(?:(failed|skipped|unknown): )?([a-z]+(?: [a-z]+)*) ([a-z]+\/[A-Za-z0-9._-]+)(?: (\S+))?$/;

function changeIn(line: string): LoggedChange[] {
  const [, outcome = 'done', action, address, id = null] = changeLine.exec(line) ?? [];
  if (action === undefined || address === undefined) return [];
  return [{ address, action, outcome: outcome as LoggedChange['outcome'], id }];
}

function isSameRun(run: OpenRun, { trailers }: Message): boolean {
  return run.run === (trailers['Run'] ?? null) && run.digest === (trailers['Plan'] ?? null);
}

function runOf(commit: HistoryCommit, message: Message): OpenRun {
  const { title, command, rest, step, trailers } = message;
  const started = step === 'intent';
  return {
    command,
    outcome: 'unfinished',
    title,
    plan: started ? rest : null,
    by: commit.author,
    startedAt: started ? commit.time : null,
    endedAt: null,
    ...serviceTimeIn(message),
    run: trailers['Run'] ?? null,
    digest: trailers['Plan'] ?? null,
    commit: commitFrom(trailers['Commit']),
    service: trailers['Service'] ?? null,
    ...reasonIn(message),
    notes: message.takesOver ? ['it took over the lock of the previous command'] : [],
    changes: message.changes,
    commits: [commit.hash],
  };
}

function withOutcome(run: OpenRun, commit: HistoryCommit, message: Message): OpenRun {
  const { title, rest, changes } = message;
  const results: readonly string[] = ['complete', 'incomplete', 'interrupted'] satisfies RunOutcome[];
  const outcome = results.includes(rest) ? (rest as RunOutcome) : run.outcome;
  const { serviceTime: _, ...known } = run;
  const ended = { endedAt: commit.time, ...serviceTimeIn(message), ...unsentIn(message) };
  return withCommit({ ...known, outcome, title, changes, ...ended }, commit);
}

function reasonIn({ trailers }: Message): { readonly reason?: string } {
  const reason = trailers['Reason'];
  return reason === undefined ? {} : { reason };
}

/** In place of a list of addresses that is empty. */
export const NO_ADDRESSES = 'none';

function unsentIn({ trailers }: Message): { readonly unsent?: readonly Address[] } {
  const unsent = trailers['Unsent'];
  if (unsent === undefined) return {};
  return { unsent: unsent === NO_ADDRESSES ? [] : unsent.split(' ') };
}

/** Only in the form that roster writes. */
function serviceTimeIn({ trailers }: Message): { readonly serviceTime?: string } {
  const time = trailers['Time'];
  const date = new Date(time ?? Number.NaN);
  const isTime = time !== undefined && !Number.isNaN(date.getTime()) && date.toISOString() === time;
  return isTime ? { serviceTime: time } : {};
}

/** `roster unlock`, or a commit that roster did not make. */
function otherEntry(commit: HistoryCommit, message: Message): OpenRun {
  return { ...runOf(commit, message), outcome: null, startedAt: commit.time, endedAt: commit.time };
}

/** The address of this run's log; null outside of CI. */
export function runAddress(env: Environment): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (server !== undefined && repository !== undefined && run !== undefined)
    return `${server}/${repository}/actions/runs/${run}`;
  const names = ['CI_JOB_URL', 'BUILDKITE_BUILD_URL', 'CIRCLE_BUILD_URL', 'BUILD_URL', 'DRONE_BUILD_LINK'];
  return names.map((name) => env[name]).find((address) => address !== undefined && address !== '') ?? null;
}

/** `process 4711 on runner-7`. */
export function processName(pid = process.pid, host = hostname()): string {
  return `process ${pid} on ${host}`;
}

/** Who holds a lock: `Ada Lovelace, process 4711 on runner-7`. */
export function holderName(person: string | null, run: string): string {
  return person === null ? run : `${person}, ${run}`;
}
