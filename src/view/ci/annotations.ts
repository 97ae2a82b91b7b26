import type { Place } from '../../model/diagnostic.js';
import { escapeControls } from '../escape.js';
import { count } from '../text/layout.js';

/** What GitHub shows beside a line of a pull request, or on the page of the run where there is no line. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
  readonly place?: Place;
}

const levels = ['error', 'warning', 'notice'] as const;
/** GitHub keeps no more annotations of one level than this of a step, and drops the others without a word. */
const mostAnnotations = 10;
/** GitHub cuts longer messages, in the middle of a word and without saying so. */
const longestMessage = 4000;

/** Workflow commands, errors first. What GitHub would drop is counted on a line of the log, with `where` all is shown. */
export function workflowCommands(annotations: readonly Annotation[], where: string): string {
  const of = levels.map((level) => ({ level, all: annotations.filter((each) => each.level === level) }));
  const shown = of.flatMap(({ all }) => all.slice(0, mostAnnotations).map(command));
  // No command: an annotation that says so would itself be one too many to read.
  const more = of
    .filter(({ all }) => all.length > mostAnnotations)
    .map(({ level, all }) => count(all.length - mostAnnotations, `more ${level}`));
  const last = more.length === 0 ? [] : [`${more.join(' and ')}: ${where}`];
  return [...shown, ...last].map((line) => `${line}\n`).join('');
}

function command({ level, title, lines, place }: Annotation): string {
  const where =
    place === undefined
      ? {}
      : {
          file: escapeControls(place.file),
          line: place.line,
          endLine: place.line,
          col: place.column,
          endColumn: place.column + Math.max(1, place.length),
        };
  const properties = Object.entries({ ...where, title: escapeControls(title) })
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',');
  return `::${level} ${properties}::${escapeData(shorten(lines.map(escapeControls).join('\n')))}`;
}

function shorten(text: string): string {
  if (text.length <= longestMessage) return text;
  // Half of a pair at the end would be no character.
  return `${text.slice(0, longestMessage - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// The two escapings that the runner undoes: a property also ends at a comma and splits at a colon.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
