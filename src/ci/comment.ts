import { markdownMarker } from '../view/markdown/markdown-escape.js';
import type { JobHost, Subject } from './host.js';

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

/**
 * Says in the comment of a change what becomes of its plan, if there is one. Nobody waits for a comment: without it, the run
 * still says what happened.
 */
export async function sayFate(
  host: JobHost,
  change: number | undefined | Promise<number | undefined>,
  { project, environment }: Subject,
  fate: string,
): Promise<void> {
  try {
    const number = await change;
    if (number === undefined) return;
    const known = await host.comment(number, markdownMarker('plan', project, environment));
    if (known !== null) await host.writeComment(number, known, withFate(known.body, fate));
  } catch (failure) {
    host.log(`The comment was not updated: ${failure instanceof Error ? failure.message : failure}\n`);
  }
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
