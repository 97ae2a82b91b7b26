import type { Hint, ReaderContext, SuggestWord, SyntaxRules, YamlUsage } from './context.js';
import { disputedLine } from './disputed.js';
import { disputedTab } from './disputed-tabs.js';
import { isTooDeep, type Refusal } from './events.js';
import { parseLeniently } from './lenient.js';
import { isRefused, type Parsed, parse } from './parsing.js';
import { Places } from './places.js';
import { ProblemList, type YamlProblem } from './problem.js';
import { tooDeep, tooMany } from './read-limits.js';
import type { Source } from './source.js';
import { type Explanation, SyntaxExplainer } from './syntax/explain.js';
import { refusalError } from './syntax/refusal.js';
import type { ReportedError } from './syntax/syntax-hints.js';
import { syntaxProblems } from './syntax/syntax-problems.js';
import type { Node } from './tree.js';
import { TreeBuilder } from './tree-builder.js';

export interface YamlOptions {
  readonly rules: SyntaxRules;
  readonly suggest: SuggestWord;
  /** Shared by the files of one project, and counted up. */
  readonly usage: YamlUsage;
}

export interface YamlRead {
  /** The documents that are not empty; null when the file has syntax errors. */
  readonly documents: readonly Node[] | null;
  readonly problems: readonly YamlProblem[];
  /** Further problems, too many to keep. */
  readonly omitted: number;
}

/**
 * Reads one file, in time and memory that `yamlLimits` bound. A fast parser reads it and stops at the first error; then
 * a slow one finds all errors. The values that the slow one reads are never used. Syntax that the fast one accepts but
 * other parsers refuse, or read differently, is refused (`disputed.ts`).
 */
export function readYaml(source: Source, options: YamlOptions): YamlRead {
  const { stackTraceLimit } = Error;
  // Both parsers make an Error with a stack for each syntax error: a file of nothing but errors would cost a gigabyte.
  Error.stackTraceLimit = 0;
  try {
    const { rules, suggest, usage } = options;
    const problems = new ProblemList();
    const documents = read({ source, usage, problems, rules, suggest, masked: [] });
    return { documents, problems: problems.kept, omitted: problems.omitted };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function read(context: ReaderContext): Node[] | null {
  const { source, masked, problems } = context;
  const large = tooMany(source);
  if (large !== null) {
    problems.add(large);
    return null;
  }
  const text = maskText(source.text, masked);
  const parsed = parse(text);
  if (!isRefused(parsed)) return treesOf(parsed, context);
  if (!isTooDeep(parsed)) return readWithCare(text, parsed, context);
  problems.add(tooDeep(source, parsed.offset));
  return null;
}

function treesOf({ events, text, added }: Parsed, context: ReaderContext): Node[] | null {
  const { source, problems } = context;
  const places = new Places(source, text, added);
  const line = disputedLine(text) ?? disputedTab(text, events);
  const builder = new TreeBuilder(events, text, places, context);
  const documents = line === null ? builder.documents() : null;
  const problem = line === null ? builder.limits.problem : places.problem(line);
  if (problem === null) return documents;
  problems.add(problem);
  return null;
}

/** Asks the second parser, unless nothing is wrong. */
function readWithCare(text: string, first: Refusal, context: ReaderContext): Node[] | null {
  const parsed = parseLeniently(text, first);
  if (!isRefused(parsed)) return treesOf(parsed, context);
  const { source, problems } = context;
  const explained = new SyntaxExplainer(text, source, parsed.offset).explain();
  if (explained.problem !== null) {
    problems.add(explained.problem);
    return null;
  }
  const errors = explained.errors.length > 0 ? explained.errors : [refusalError(parsed)];
  return report({ ...explained, errors }, context);
}

function report({ errors, openings }: Explanation, context: ReaderContext): Node[] | null {
  const { source, rules, masked, problems } = context;
  const unquoted = masked.length === 0 ? unquotedTexts(source.text, errors, rules) : [];
  if (unquoted.length > 0) return readAgain(unquoted, context);
  for (const each of syntaxProblems(errors, { source, openings, rules }).problems) problems.add(each);
  return null;
}

function readAgain(unquoted: readonly Hint[], context: ReaderContext): Node[] | null {
  const { source, problems } = context;
  for (const { start, end, message, help } of unquoted)
    problems.add({ code: 'syntax', span: { source, start, end }, message, help });
  return read({ ...context, masked: unquoted });
}

/** The texts without quotes that cause the errors of a file, each once. */
function unquotedTexts(text: string, errors: readonly ReportedError[], { unquotedAt }: SyntaxRules): Hint[] {
  const found = new Map<number, Hint>();
  for (const { pos } of errors) {
    const unquoted = unquotedAt(text, pos[0]);
    if (unquoted !== null) found.set(unquoted.start, unquoted);
  }
  return [...found.values()];
}

/** The text with letters in place of some stretches, so that everything else in it can be read. */
function maskText(text: string, masked: readonly Pick<Hint, 'start' | 'end'>[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    left += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return left + text.slice(at);
}
