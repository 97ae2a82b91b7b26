import type { Diagnostic } from '../../model/diagnostic.js';
import type { ResourceStatus, Status } from '../../model/run.js';
import { agree, instantText } from '../../model/words.js';
import { cut } from '../columns.js';
import { countsText, healthCounts, healthLabels, lastRunText, syncLabels } from '../labels.js';
import { shownAndRest, worstFirst } from '../plan-words.js';
import { markdownMarker, markdownTable, shortProse, tableCode } from './markdown-escape.js';
import {
  diagnosticItem,
  MARKDOWN_LIMIT,
  type MarkdownOptions,
  type PackItem,
  projectMarkdown,
  SizeBudget,
  WARNINGS_SIZE,
  warningsSection,
} from './page-parts.js';

const reservedSize = 1_000;
const widestCell = 200;
const titles = ['Health', 'Address', 'Sync', 'Last run', 'OK/failed/missed', 'Next start', 'Reason'];

/** The status as a part of an issue: a table, the worst first. Never over the limit. */
export function statusMarkdown(status: Status, options: MarkdownOptions = {}): string {
  const { measure = (text) => text.length, limit = MARKDOWN_LIMIT, urlOf = () => null, verbose } = options;
  const { resources, since, diagnostics } = status;
  const top = [
    markdownMarker('status', status.project, status.environment),
    `**Status: ${healthCounts(resources) || 'nothing is declared that can run'}.** Counted since ${instantText(since)}.`,
    '',
    projectMarkdown(status),
    '',
  ];
  const budget = new SizeBudget(limit - reservedSize - measure(top.join('\n')), measure);
  const rows = budget.fill(resources, rowItem);
  const told = shownAndRest(diagnostics, { command: 'roster status ', verbose });
  const warnings = budget.fillUpTo(WARNINGS_SIZE, worstFirst(told.shown), (each: Diagnostic) =>
    diagnosticItem(each, urlOf),
  );
  const left = resources.length - rows.texts.length;
  const head = resources.length === 0 ? [] : markdownTable(titles, []);
  const more =
    left === 0 ? [] : ['', `${left} more ${agree(left, 'resource is', 'resources are')} not shown.`];
  return [...top, ...head, ...rows.texts, ...more, ...warningsSection(warnings, told.rest), ''].join('\n');
}

function rowItem(each: ResourceStatus): PackItem {
  const { health, address, sync, lastRun, isRunning, nextRun, reason } = each;
  const cells = [
    health === 'failing' || health === 'missed' ? `**${healthLabels[health]}**` : healthLabels[health],
    tableCode(cut(address, widestCell)),
    syncLabels[sync],
    lastRun === null && !isRunning ? '' : prose(lastRunText(lastRun, isRunning)),
    tableCode(countsText(each)),
    nextRun === null ? '' : tableCode(instantText(nextRun)),
    reason === '' ? '' : prose(reason),
  ];
  const short = `| ${cells.join(' | ')} |`;
  return { short, full: () => ({ text: short, shortened: 0 }), shortened: 0 };
}

/** In a cell, a bar would begin the next one. */
function prose(text: string): string {
  return shortProse(text, widestCell).replaceAll('|', '&#124;');
}
