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

/** Says in the comment of a change what became of its plan. It was not shown, if there is no comment. */
export async function reportFate(
  host: JobHost,
  change: number,
  { project, environment }: Subject,
  fate: string,
): Promise<void> {
  const known = await host.comment(change, markdownMarker('plan', project, environment));
  if (known !== null) await host.writeComment(change, known, withFate(known.body, fate));
}

const CUT = '\n> **Too long to show in full:**';

/** Whether a comment shows the whole plan. Only then it counts as reviewed. */
export function isWhole(plan: string): boolean {
  return !plan.includes(CUT);
}
