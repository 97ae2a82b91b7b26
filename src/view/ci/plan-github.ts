import type { Change, Plan } from '../../model/plan.js';
import { actionWords, needsCare } from '../change-labels.js';
import { isWorthALine } from '../text/field-text.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { type Annotation, workflowCommands } from './annotations.js';
import { diagnosticAnnotation } from './diagnostics-github.js';

/**
 * The plan as annotations on the lines that bring it about: why apply would refuse it as errors, what can hurt and
 * what is warned of as warnings, everything else as notices.
 */
export function planGithub(plan: Plan): string {
  const sources = new Map(plan.changes.map((change) => [change.address, change.source]));
  const objections = plan.objections.map(({ code, message, help, address }) => {
    const place = (address === null ? null : sources.get(address)) ?? null;
    const told = { severity: 'error', code, message, ...(help === '' ? {} : { help }) } as const;
    return diagnosticAnnotation(place === null ? told : { ...told, place });
  });
  const acting = plan.changes.filter((change) => change.action !== 'none').map(changeAnnotation);
  return workflowCommands(
    [...objections, ...agedOf(plan), ...acting, ...plan.diagnostics.map(diagnosticAnnotation)],
    '`roster plan` shows all',
  );
}

function agedOf({ snapshot }: Plan): Annotation[] {
  if (snapshot === undefined) return [];
  return [
    { level: 'notice', title: 'roster: snapshot', lines: [`planned against ${snapshotAge(snapshot)}`] },
  ];
}

function changeAnnotation(change: Change): Annotation {
  const { action, address, fields, source } = change;
  const changed = fields.filter(isWorthALine);
  const alone = action === 'create' || action === 'delete';
  const paths = alone ? '' : changed.map((field) => field.path).join(', ');
  const what = `${actionWords[action].verb} ${address}`;
  const place = changed.find((field) => field.source !== null)?.source ?? source;
  return {
    level: needsCare(change) || change.risks.length > 0 ? 'warning' : 'notice',
    title: `roster: ${what}`,
    lines: [
      `${what}${paths === '' ? '' : `: ${paths}`}`,
      ...change.risks.map((risk) => risk.message),
      ...change.notes,
    ],
    ...(place === null ? {} : { place }),
  };
}
