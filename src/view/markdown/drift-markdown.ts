import type { Diagnostic } from '../../model/diagnostic.js';
import type { Drift, Drifted } from '../../model/drift.js';
import { worstFirst } from '../severity-labels.js';
import { driftCounts } from '../text/drift-text.js';
import { count } from '../text/layout.js';
import { unmanagedLine } from '../unmanaged-line.js';
import { type ChangeContext, foldedFields, isNameInAddress, placeMarkdown } from './change-markdown.js';
import { fieldLine, fieldParts } from './field-line.js';
import { driftMarker, markdownCode, shortCode } from './markdown-escape.js';
import { type Filled, type PackItem, SizeBudget } from './markdown-pack.js';
import { tooLong } from './omissions-markdown.js';
import { type MarkdownOptions, markdownLimit, projectMarkdown } from './plan-markdown.js';
import { diagnosticItem, hiddenWarnings, warningsSection } from './problems-markdown.js';
import { subsection } from './sections-markdown.js';

/** Reserved for what is left out. */
const reservedSize = 1_000;
const warningsSize = 8_000;
const maxNameColumns = 2_000;

/**
 * What was changed outside roster, as an issue or a comment (contract §6, markdown): what was deleted, then each changed
 * field as last applied and as it is now. Never over the limit.
 */
export function driftMarkdown(drift: Drift, options: MarkdownOptions = {}): string {
  const { measure = (text) => text.length, limit = markdownLimit, urlOf = () => null } = options;
  const top = header(drift);
  const budget = new SizeBudget(limit - reservedSize - measure(top.join('\n')), measure);
  const deletedFirst = [...drift.changes].sort(
    (a, b) => Number(b.what === 'deleted') - Number(a.what === 'deleted'),
  );
  const changes = budget.fill(deletedFirst, (each) => driftedItem(each, urlOf));
  const warnings = budget.fillUpTo(warningsSize, worstFirst(drift.diagnostics), (each) =>
    diagnosticItem(each, urlOf),
  );
  return [
    ...top,
    ...omissions(changes, warnings),
    ...subsection(null, changes),
    ...warningsSection(warnings, false),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

function header(drift: Drift): string[] {
  const counts = driftCounts(drift);
  const unmanaged = unmanagedLine(drift.unmanaged);
  return [
    driftMarker(drift.project, drift.environment),
    counts === null
      ? `**No drift.** Nothing was changed outside roster since the last apply (${count(drift.resources, 'resource')}).`
      : `**Drift: ${counts}** outside roster since the last apply.`,
    ...advice(drift.changes),
    '',
    projectMarkdown(drift),
    ...(unmanaged === null ? [] : ['', unmanaged]),
    '',
  ];
}

/** An apply does not bring back what the manifests no longer declare. */
function advice(changes: readonly Drifted[]): string[] {
  const declared = changes.filter(({ source }) => source !== null);
  if (declared.length === 0) return [];
  const which = declared.length === changes.length ? 'these changes' : 'the changes to declared resources';
  return ['', `The next apply reverts ${which}, unless the manifests declare them by now.`];
}

/** `before` of a field is what was applied last, `after` what someone else has changed it to. */
function driftedItem(drifted: Drifted, urlOf: ChangeContext['urlOf']): PackItem {
  const { what, address, name, id, source } = drifted;
  const change = { ...drifted, action: 'update', origin: 'remote' } as const;
  const parts = fieldParts(change);
  const line = fieldLine(parts, change, markdownCode);
  const short = [
    `- **${what === 'deleted' ? 'DELETED' : 'changed'}**`,
    shortCode(address, maxNameColumns),
    ...(isNameInAddress(drifted) ? [] : [`named ${shortCode(name ?? '', maxNameColumns)}`]),
    ...(id === null ? [] : [`id ${shortCode(id, maxNameColumns)}`]),
    ...(source === null ? [] : [`at ${placeMarkdown(source, urlOf)}`]),
  ].join(' ');
  const heading = line === null ? short : `${short}: ${line}`;
  const full = () => {
    const folded = foldedFields(parts, change);
    return { text: [heading, ...folded.lines].join('\n'), shortened: folded.shortened };
  };
  return { short: heading, full, shortened: 0 };
}

function omissions(changes: Filled<Drifted>, warnings: Filled<Diagnostic>): string[] {
  const left = changes.items.length - changes.texts.length;
  return tooLong('drift', [
    ...(left === 0 ? [] : [`${count(left, 'change')} left out`]),
    ...(changes.full === changes.texts.length
      ? []
      : [`${count(changes.texts.length - changes.full, 'change')} shown without details`]),
    ...(changes.shortened === 0 ? [] : [`${count(changes.shortened, 'value')} not shown in full`]),
    ...hiddenWarnings(warnings),
  ]);
}
