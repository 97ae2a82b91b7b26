import type { Change, Plan, Step } from '../../model/plan.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { objectionDiagnostics, stepLookup } from '../plan-lookup.js';
import { isWorthALine } from '../text/field-text.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { type Annotation, workflowCommands } from './annotations.js';
import { diagnosticAnnotation } from './diagnostics-github.js';

/**
 * The plan as annotations on the manifest lines that cause it: objections are errors, risky changes and warnings are
 * warnings, everything else is a notice.
 */
export function planGithub(plan: Plan): string {
  const stepsOf = stepLookup(plan);
  const acting = plan.changes
    .filter((change) => change.action !== 'none')
    .map((change) => changeAnnotation(change, stepsOf(change)));
  return workflowCommands(
    [
      ...objectionDiagnostics(plan).map(diagnosticAnnotation),
      ...snapshotAnnotations(plan),
      ...acting,
      ...plan.diagnostics.map(diagnosticAnnotation),
    ],
    '`roster plan` shows all of them',
  );
}

function snapshotAnnotations({ snapshot }: Plan): Annotation[] {
  if (snapshot === undefined) return [];
  return [
    { level: 'notice', title: 'roster: snapshot', lines: [`Planned against ${snapshotAge(snapshot)}`] },
  ];
}

function changeAnnotation(change: Change, steps: readonly Step[]): Annotation {
  const { action, address, fields, source } = change;
  const changed = fields.filter(isWorthALine);
  const wholeObject = action === 'create' || action === 'delete';
  const paths = wholeObject ? '' : changed.map((field) => field.path).join(', ');
  const title = `${actionLabels[action].verb} ${address}`;
  const place = changed.find((field) => field.source !== null)?.source ?? source;
  return {
    level: needsCare(change, steps) || change.risks.length > 0 ? 'warning' : 'notice',
    title: `roster: ${title}`,
    lines: [
      `${title}${paths === '' ? '' : `: ${paths}`}`,
      ...change.risks.map((risk) => risk.message),
      ...change.notes,
    ],
    ...(place === null ? {} : { place }),
  };
}
