import type { Place } from '../../model/diagnostic.js';
import { escapeControls } from '../escape.js';
import { count } from '../text/layout.js';

/** A message that GitHub shows next to a line of a pull request, or on the run's page if there is no place. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
  readonly place?: Place;
}

const levels = ['error', 'warning', 'notice'] as const;
/** GitHub keeps this many annotations of one level per step, and silently drops the rest. */
const maxAnnotations = 10;
/** GitHub silently cuts longer messages. */
const maxMessageUnits = 4000;

/** Workflow commands, errors first. A last line counts what GitHub would drop; `where` says where to find all. */
export function workflowCommands(annotations: readonly Annotation[], where: string): string {
  const of = levels.map((level) => ({ level, all: annotations.filter((each) => each.level === level) }));
  const shown = of.flatMap(({ all }) => all.slice(0, maxAnnotations).map(command));
  // A plain log line: an annotation would itself be dropped.
  const more = of
    .filter(({ all }) => all.length > maxAnnotations)
    .map(({ level, all }) => count(all.length - maxAnnotations, `more ${level}`));
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
  if (text.length <= maxMessageUnits) return text;
  // Do not end in half of a surrogate pair.
  return `${text.slice(0, maxMessageUnits - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// The runner's own escapes. In properties, commas and colons are separators.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
