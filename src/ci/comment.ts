import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { some } from '../model/words.js';
import { markdownMarker, shortProse } from '../view/markdown/markdown-escape.js';
import { type JobHost, madePlan, type PlanResult, RefusedJob, type Subject } from './host.js';

/** What becomes of a plan is said between these, below the line with its counts. */
const BEGIN = '<!-- roster: what becomes of it -->';
const END = '<!-- roster: end -->';

/** The comment with a plan, and what will become of it, or has. */
export function withFate(body: string, fate: string): string {
  const end = body.indexOf('\n', body.indexOf('\n') + 1) + 1;
  const [head, rest] = [body.slice(0, end), body.slice(end)];
  const known = `\n${BEGIN}\n`;
  const plan = rest.startsWith(known) ? rest.slice(rest.indexOf(END) + END.length + 1) : rest;
  return `${head}${known}${fate}\n${END}\n${plan}`;
}

/** The first line by which the jobs of a project and environment find their comment. */
export function planMarker({ project, environment }: Subject): string {
  return markdownMarker('plan', project, environment);
}

/** A page as the comment of this job: the project that it names is that of the files of the change, which can be any. */
export function ownPage(subject: Subject, page: string): string {
  const rest = page.startsWith('<!--') ? page.slice(page.indexOf('\n') + 1) : page;
  return `${planMarker(subject)}\n${rest}`;
}

/** The page in place of a plan that was not made. */
function noPlanPage(subject: Subject, reason: string): string {
  return `${planMarker(subject)}\n**No plan.** ${shortProse(reason)}\n`;
}

/** The page of a plan whose job has failed, and has passed nothing on. */
export function failedPage(subject: Subject, { run }: JobHost): string {
  return noPlanPage(subject, `The job that makes the plan failed. See ${run}`);
}

interface ProposedFiles {
  /** Passed on to the job that shows. */
  readonly folder: string;
  /** The page in it. */
  readonly markdown: string;
  /** The plan. */
  readonly json: string;
  passOn(result: PlanResult): void;
}

/**
 * Plans a proposed change, and passes on what is shown of it: the plan, or why there is none. Errors, and a plan that apply
 * would refuse, fail the job all the same. Returns its exit code.
 */
export async function planProposed(
  subject: Subject,
  { folder, markdown, json, passOn }: ProposedFiles,
  plan: () => Promise<number>,
): Promise<number> {
  try {
    const exit = await plan();
    if (existsSync(json) && existsSync(markdown)) {
      const { digest, facts } = madePlan(json, subject);
      passOn({ digest, exit, facts });
    }
    return exit;
  } catch (failure) {
    if (!(failure instanceof RefusedJob)) throw failure;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(markdown, noPlanPage(subject, failure.message));
    passOn({ digest: null, exit: 1, facts: null });
    throw failure;
  }
}

/** What becomes of a plan that cannot be applied; null for one that can. */
export function unappliedFate({ digest, exit, facts }: PlanResult): string | null {
  if (digest === null) return '> Merging applies nothing: there is no plan until the errors are corrected.';
  if (exit === 0) return null;
  const codes = (facts?.refusals ?? []).map((code) => `\`${code}\``);
  const why =
    codes.length === 0 ? ', for the reasons below' : `: ${some(codes, MOST_CODES)}. The reasons are below`;
  return `> [!CAUTION]\n> **Merging applies nothing:** roster refuses to apply this plan${why}.`;
}

/** What became of a plan whose apply failed. `whose` names the person who started it, as ` by …`; empty if that is unknown. */
export function failedFate(whose: string): string {
  const started = whose === '' ? '' : ` (started${whose})`;
  return `> [!CAUTION]\n> **Apply failed**${started}, and some changes may not have been made`;
}

/** Codes that the comment names as the reason why merging applies nothing. */
const MOST_CODES = 3;

const SHOWN = /<!-- roster: shown ([0-9a-f]+(?: [0-9a-f]+)*) -->\s*$/;

/** A comment that notes at its end, unseen, what a later job compares with: the commit first. */
export function withShown(body: string, words: readonly string[]): string {
  return words.length === 0 ? body : `${body}\n<!-- roster: shown ${words.join(' ')} -->\n`;
}

/** The commit that a comment was written for, and what was noted with it. Empty where it does not say. */
export function shownIn(body: string): readonly string[] {
  return SHOWN.exec(body)?.[1]?.split(' ') ?? [];
}

/** What will become of a plan, and what is new in it. */
export function fateSince(fate: string, since: string | null): string {
  return since === null ? fate : `${fate}\n\n${since}`;
}

/**
 * Says in the comments of changes what becomes of their plan, if there are any. Nobody waits for a comment: without it, the run
 * still says what happened.
 */
export async function sayFate(
  host: JobHost,
  changes: readonly number[] | Promise<readonly number[]>,
  subject: Subject,
  fate: string,
): Promise<void> {
  try {
    for (const change of await changes) await sayInComment(host, change, subject, fate);
  } catch (failure) {
    host.log(`The comment was not updated: ${failure instanceof Error ? failure.message : failure}\n`);
  }
}

async function sayInComment(host: JobHost, change: number, subject: Subject, fate: string): Promise<void> {
  const known = await host.comment(change, planMarker(subject));
  if (known !== null) await host.writeComment(change, known, withFate(known.body, fate));
}

/** The name of a person, who is not notified. */
export function asName(login: string): string {
  return `\`${login.replace(/[^\w.[\]-]/g, '')}\``;
}

const CUT = '\n> **Too long to show in full:**';

/** Whether a comment shows the whole plan. Only then it counts as reviewed. */
export function isWhole(plan: string): boolean {
  return !plan.includes(CUT);
}
