import { type Diagnostic, messageOf, type Place, type Severity } from '../../model/diagnostic.js';
import { isDiagnostic, isRisk, type Risk } from '../../model/finding.js';
import type { Plan } from '../../model/plan.js';
import { count } from '../../model/words.js';
import { type ChangeView, changeViews } from '../change-view.js';
import { escapeControls } from '../escape.js';
import { labelOf } from '../labels.js';
import { refusalErrors, snapshotAge } from '../plan-words.js';
import { workflowCommand } from './workflow-command.js';

/**
 * The plan as annotations on the manifest lines that cause it: refusals are errors, risky changes and warnings are
 * warnings, everything else, such as a note, is a notice.
 */
export function planGithub(plan: Plan): string {
  return workflowCommands(
    [
      ...refusalErrors(plan).map(diagnosticAnnotation),
      ...snapshotAnnotations(plan),
      ...plan.findings.filter(isRisk).map(planRiskAnnotation),
      ...changeViews(plan).map(changeAnnotation),
      // GitHub shows only some of them.
      ...plan.findings
        .filter(isDiagnostic)
        .toSorted((a, b) => Number(a.unchanged === true) - Number(b.unchanged === true))
        .map(diagnosticAnnotation),
    ],
    '`roster plan` shows all of them',
  );
}

function planRiskAnnotation({ message }: Risk): Annotation {
  return { level: 'warning', title: 'roster: settings', lines: [message] };
}

function snapshotAnnotations({ snapshot }: Plan): Annotation[] {
  if (snapshot === undefined) return [];
  return [
    { level: 'notice', title: 'roster: snapshot', lines: [`Planned against ${snapshotAge(snapshot)}`] },
  ];
}

function changeAnnotation({ change, fields, needsCare, risks, notes }: ChangeView): Annotation {
  const { action, address, source } = change;
  const wholeObject = action === 'create' || action === 'delete';
  const paths = wholeObject ? '' : fields.map((field) => field.path).join(', ');
  const title = `${labelOf(change).verb} ${address}`;
  const place = fields.find((field) => field.source !== null)?.source ?? source;
  return {
    level: needsCare || risks.length > 0 ? 'warning' : 'notice',
    title: `roster: ${title}`,
    lines: [`${title}${paths === '' ? '' : `: ${paths}`}`, ...risks.map(({ message }) => message), ...notes],
    place: place ?? undefined,
  };
}

/** Diagnostics as workflow commands, which annotate the lines of a pull request (contract §6, `github`). */
export function diagnosticsGithub(
  diagnostics: readonly Diagnostic[],
  where = '`roster validate` shows all of them; `--write sarif=FILE` saves them',
): string {
  return workflowCommands(diagnostics.map(diagnosticAnnotation), where);
}

function diagnosticAnnotation(diagnostic: Diagnostic): Annotation {
  const { severity, code, place, help, related = [] } = diagnostic;
  const others = related.map((each) => `${messageOf(each)}: ${each.place.file}:${each.place.line}`);
  const lines = [messageOf(diagnostic), ...others, ...(help === undefined ? [] : [`help: ${help}`])];
  const level = severityLevels[severity];
  return { level, title: `roster: ${code}`, lines, place };
}

const severityLevels: Readonly<Record<Severity, Annotation['level']>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};

/** A message that GitHub shows next to a line of a pull request, or on the run's page if there is no place. */
interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
  readonly place?: Place | undefined;
}

const levels = ['error', 'warning', 'notice'] as const;
/** GitHub keeps this many annotations of one level per step, and silently drops the rest. */
const maxAnnotations = 10;
/** GitHub silently cuts longer messages. */
const maxMessageUnits = 4000;

/** Workflow commands, errors first. A last line counts what GitHub would drop; `where` says where to find all. */
function workflowCommands(annotations: readonly Annotation[], where: string): string {
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
  return workflowCommand(
    level,
    { ...where, title: escapeControls(title) },
    shorten(lines.map(escapeControls).join('\n')),
  );
}

function shorten(text: string): string {
  if (text.length <= maxMessageUnits) return text;
  // Do not end in half of a surrogate pair.
  return `${text.slice(0, maxMessageUnits - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
