import type { Hint, SyntaxRules } from '../yaml/problem.js';
import { quoted } from '../yaml/text.js';

/** Longer than any cron expression or variable, so that searching around an error costs little. */
const SEARCHED_CHARACTERS = 600;

/** What manifests add to YAML: variables, and cron expressions, which YAML takes for aliases. */
export const yamlRules: SyntaxRules = {
  unquotedAt: unquotedCron,
  explain: unquotedVariable,
  templateHelp: 'Use variables instead: write `${var.name}`, and declare `name` under `vars:`.',
};

/** `cron: * * * * * *` */
function unquotedCron(text: string, at: number): Hint | null {
  const from = Math.max(0, at - SEARCHED_CHARACTERS);
  const near = text.slice(from, at + SEARCHED_CHARACTERS);
  if (!near.includes('cron:')) return null;
  for (const match of near.matchAll(/(?<=[\s{,]cron:[ \t]{1,20})\*[^\r\n}]*/g)) {
    const [written = ''] = match[0].split(/,\s|\s#/, 1);
    const start = from + match.index;
    const end = start + written.trimEnd().length;
    if (at < start || at >= end) continue;
    const help = `Put the cron expression in quotes: \`"${text.slice(start, end)}"\`.`;
    return { start, end, message: 'YAML reads a `*` without quotes as an alias', help };
  }
  return null;
}

/** `{ a: ${var.b} }`: to YAML, a map begins after the dollar sign. */
function unquotedVariable(text: string, at: number): Hint | null {
  const from = Math.max(text.lastIndexOf('\n', at), at - SEARCHED_CHARACTERS) + 1;
  const start = text.lastIndexOf('${', at);
  if (start < from) return null;
  const [use] = /^\$\{[\w.-]+\}/.exec(text.slice(start, start + 200)) ?? [];
  if (use === undefined || at > start + use.length) return null;
  const message = 'a variable inside braces or brackets must be in quotes';
  return { message, help: `Write \`${quoted(use)}\`.`, start, end: start + use.length };
}
