import type { Change, Objection, Plan } from '../../model/plan.js';
import { callsOf } from '../calls.js';
import { escapeControls } from '../escape.js';
import { planLine } from '../summary-line.js';
import { changeText } from './change-text.js';
import { cut, hangingIndent, indent, usableWidth, wrap } from './layout.js';
import { type Paint, painter, type TextOptions } from './paint.js';
import { snapshotAge } from './snapshot-text.js';

/**
 * The plan for a person at a terminal (contract §4, §6): every acting change in plan order, then why apply would
 * refuse it, the digest, and the summary as the very last line. Diagnostics are not in it: they go to stderr.
 */
export function planText(plan: Plan, options: TextOptions): string {
  const paint = painter(options.color);
  const width = usableWidth(options.width);
  const blocks = [
    [...headerLines(plan, width, paint), ...snapshotLines(plan, paint)],
    ...changeBlocks(plan, width, options.verbose ?? false, paint),
    objectionLines(plan.objections, width, paint),
    [`Digest: ${escapeControls(plan.digest)}`],
    [paint('strong', planLine(plan))],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

export function headerLines(
  plan: Pick<Plan, 'project' | 'environment' | 'service'>,
  width: number,
  paint: Paint,
): string[] {
  const environment = plan.environment === null ? '' : `, environment ${escapeControls(plan.environment)}`;
  const project = cut(`Project ${escapeControls(plan.project)}${environment}`, width);
  return [paint('strong', project), `Service ${cut(escapeControls(plan.service), width - 8)}`];
}

function snapshotLines({ snapshot }: Plan, paint: Paint): string[] {
  return snapshot === undefined ? [] : [paint('warning', `Planned against ${snapshotAge(snapshot)}`)];
}

/** Changes of one kind stand together; details keep a blank line between changes, bare headings do not need one. */
function changeBlocks(plan: Plan, width: number, verbose: boolean, paint: Paint): string[][] {
  const calls = callsOf(plan);
  const blocks: string[][] = [];
  let last: { readonly change: Change; readonly bare: boolean } | null = null;
  for (const change of plan.changes) {
    if (change.action === 'none') continue;
    const lines = changeText(change, calls(change), { width, verbose, paint });
    const bare = lines.length === 1;
    const joins = last?.bare === true && bare && last.change.kind === change.kind;
    if (joins) blocks.at(-1)?.push(...lines);
    else blocks.push(lines);
    last = { change, bare };
  }
  return blocks;
}

function objectionLines(objections: readonly Objection[], width: number, paint: Paint): string[] {
  if (objections.length === 0) return [];
  return [
    paint('danger', 'Apply would refuse this plan:'),
    ...objections.flatMap((each) => objectionText(each, width, paint)),
  ];
}

function objectionText({ code, message, help, address }: Objection, width: number, paint: Paint): string[] {
  const about = address === null || message.includes(address) ? '' : `${escapeControls(address)}: `;
  const [first = '', ...rest] = wrap(`[${code}] ${about}${escapeControls(message)}`, width - 6);
  // Deeper than a change's heading: no message can pose as one.
  const reason = [...indent([first], 2), ...indent(rest, 6)];
  const advice =
    help === '' ? [] : indent(hangingIndent('help: ', wrap(escapeControls(help), width - 10)), 4);
  return [...reason.map((line) => paint('danger', line)), ...advice];
}
