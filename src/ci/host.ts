import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Verify } from '../model/run.js';
import { anything, object, optional, record, text } from '../model/shape.js';
import type { JobEnvironment, JobGit } from './git.js';
import { fileIn } from './json-file.js';
import { factsFile, factsOf, type PlanFacts } from './plan-facts.js';

/** The project and environment that a job is for. Both are part of all names, so that no other one has the same. */
export interface Subject {
  readonly project: string;
  readonly environment: string | null;
  /** The project file, from the root of the repository. */
  readonly file: string;
}

/** The end of the names of artifacts and branches. Project names have no `_`, so all are distinct. */
export function ending({ project, environment }: Omit<Subject, 'file'>): string {
  return `-${project}${environment === null ? '' : `_${environment}`}`;
}

/** `pricing (staging)`, for titles. */
export function titleOf({ project, environment }: Omit<Subject, 'file'>): string {
  return `${project}${environment === null ? '' : ` (${environment})`}`;
}

/** A comment or an issue that a job of roster has written. */
export interface Thread {
  readonly id: number;
  readonly body: string;
}

/** What `roster pull` has written, to be reviewed. */
export interface Proposal {
  /** A commit with it. */
  readonly commit: string;
  /** Below `refs/heads/`. */
  readonly branch: string;
  readonly title: string;
  /** What roster has printed. */
  readonly printed: string;
  /** Not all values could be written. */
  readonly isPartial: boolean;
}

/** What jobs need of the CI host: one implementation each for GitHub and GitLab. */
export interface JobHost {
  /** In the checkout of the job. */
  readonly git: JobGit;
  /** Where temporary files may go. */
  readonly temp: string;
  /** The URL of the run, for people. */
  readonly run: string;
  /** The commit that the run is of. */
  readonly commit: string;
  /** The ref that the run is of. */
  readonly ref: string;
  /** What roster runs with: git has the credentials of the job. */
  readonly env: JobEnvironment;
  /** Passes a value to the next step of the job. */
  output(name: string, value: string): void;
  log(text: string): void;
  /** Shows an error where a person sees it first. */
  error(title: string, message: string): void;
  /** The comment on a change that a job has written, by its first line. */
  comment(change: number, marker: string): Promise<Thread | null>;
  writeComment(change: number, known: Thread | null, body: string): Promise<void>;
  /** The open issue that a job has written, by its first line. */
  issue(marker: string): Promise<Thread | null>;
  writeIssue(known: Thread | null, issue: { readonly title: string; readonly body: string }): Promise<void>;
  closeIssue(known: Thread, comment: string): Promise<void>;
  /** Opens or updates the pull or merge request of the branch, which it pushes. */
  propose(proposal: Proposal): Promise<void>;
  close(): Promise<void>;
}

/** Fails a job for a reason that a person decides about. */
export class RefusedJob extends Error {
  override readonly name = 'RefusedJob';

  constructor(
    readonly title: string,
    message: string,
  ) {
    super(message);
  }
}

/** Where roster runs. */
export interface RosterPlace {
  readonly cwd: string;
  readonly env: JobEnvironment;
  readonly file: string;
  /** The root of the files, if they are those of a proposed change: no policy from outside is read there. */
  readonly proposed?: string;
}

/** The project of a subject in a checkout of the repository. */
export function placeIn(root: string, { file }: Subject, env: JobEnvironment): RosterPlace {
  return { cwd: join(root, dirname(file)), file: basename(file), env };
}

/** The same in the files of a proposed change. */
export function proposedIn(root: string, subject: Subject, env: JobEnvironment): RosterPlace {
  return { ...placeIn(root, subject, env), proposed: root };
}

/** Fails if the branch has another commit by now, because the run waited for an approval or is an old one. */
export async function checkNewest({ git, ref, commit }: JobHost): Promise<void> {
  const tip = (await git.remoteRefs('origin', ref)).get(ref);
  if (tip === commit) return;
  throw new RefusedJob(
    'Skipped, because a newer commit was pushed. Nothing was changed',
    `${ref.replace(/^refs\/heads\//, '')} is now at ${tip ?? 'no commit'}; this job is for ${commit}. Use the run of the newest commit, or run this workflow manually`,
  );
}

interface PlanFiles {
  readonly markdown?: string;
  readonly html?: string;
  readonly json?: string;
  readonly gitlab?: string;
}

export interface PlanRun extends PlanFiles {
  readonly snapshot?: string;
  readonly out?: string;
  readonly pageLink?: string;
  readonly linkBase?: string;
  /** Also applies the plan to a copy of the service. */
  readonly rehearse?: boolean;
}

/** Checks the health of everything that this job has applied. Returns an exit code. */
export async function verified(
  { commit }: JobHost,
  roster: Roster,
  place: RosterPlace,
  how: Verify,
): Promise<number> {
  const started = how === 'start' ? await roster.start(place, commit) : 0;
  const checked = await roster.status(place, { check: true });
  return started === 0 ? checked : started;
}

/** The commands of roster that jobs run. Each returns its exit code, and has printed its result. */
export interface Roster {
  plan(place: RosterPlace, run: PlanRun): Promise<number>;
  apply(place: RosterPlace, plan: { readonly expect: string } | { readonly plan: string }): Promise<number>;
  snapshot(place: RosterPlace, out: string): Promise<number>;
  drift(place: RosterPlace, files: { readonly json: string; readonly markdown?: string }): Promise<number>;
  dataCheck(place: RosterPlace, files: { readonly json: string; readonly markdown: string }): Promise<number>;
  /** Starts once what the apply of this commit has changed, and holds the schedules of what fails. */
  start(place: RosterPlace, ofCommit: string): Promise<number>;
  status(place: RosterPlace, how: { readonly markdown: string } | { readonly check: true }): Promise<number>;
  pull(
    place: RosterPlace,
    addresses: readonly string[],
  ): Promise<{ readonly exit: number; readonly printed: string }>;
}

/** What came of a plan, as one job tells the next. */
export interface PlanResult {
  /** Null if there are errors instead of a plan. */
  readonly digest: string | null;
  /** The exit code of `roster plan`. */
  readonly exit: number;
  /** Null if there is no plan. */
  readonly facts: PlanFacts | null;
}

const planFile = object({
  digest: optional(text),
  project: optional(text),
  environment: optional(text),
  summary: optional(record(anything)),
  ...factsFile,
});

interface MadePlan {
  readonly digest: string | null;
  /** Whether it changes nothing. */
  readonly isEmpty: boolean;
  readonly facts: PlanFacts | null;
}

/**
 * A plan that was written as JSON, or the errors in place of it. Refuses that of another project: its name is part of all
 * that the job reads and writes.
 */
export function madePlan(json: string, subject: Subject): MadePlan {
  const file = fileIn(readFileSync(json), basename(json), planFile);
  const { digest, project, environment, summary } = file;
  if (digest !== null && (project !== subject.project || environment !== subject.environment))
    throw new RefusedJob(
      'No plan',
      `${subject.file} declares the project ${titleOf({ project: project ?? '', environment })}, but this job is for ${titleOf(subject)}. A renamed project is planned only after the merge.`,
    );
  const { unchanged: _, ...acting } = summary ?? {};
  const isEmpty = Object.values(acting).every((each) => each === 0);
  return { digest, isEmpty, facts: factsOf(file) };
}
