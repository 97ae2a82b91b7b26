import type { Health, ResourceStatus, Status } from '../../model/run.js';
import { agree, instantText } from '../../model/words.js';
import { cut } from '../columns.js';
import {
  countsText,
  dataCheckCommand,
  healthCounts,
  healthText,
  holdBeside,
  lastRunText,
  syncLabels,
} from '../labels.js';
import { groupedByOwner } from '../owned.js';
import { shownAndRest } from '../plan-words.js';
import { ownerCell } from './change-markdown.js';
import { markdownMarker, markdownTable, shortProse, tableCode } from './markdown-escape.js';
import {
  budgetBelow,
  fillWarnings,
  type MarkdownOptions,
  type PageItem,
  projectMarkdown,
  warningsSection,
} from './page-parts.js';

/** Reserved for what is left out. */
const RESERVED_SIZE = 1_000;
const WIDEST_CELL_COLUMNS = 200;
/** As in text: what is unmet stands at the end of a reason. */
const LONGEST_REASON = 600;
const bad: ReadonlySet<Health> = new Set<Health>(['failing', 'missed', 'unmet']);
const TITLES = ['Health', 'Address', 'Sync', 'Last run', 'OK/failed/missed', 'Next start', 'Reason'];

/** The status as a part of an issue: a table, the worst first, and by owner where there are several. Never over the limit. */
export function statusMarkdown(status: Status, options: MarkdownOptions = {}): string {
  const { urlOf = () => null, verbose } = options;
  const { resources, since, diagnostics } = status;
  const top = [
    markdownMarker('status', status.project, status.environment),
    `**Status: ${healthCounts(resources) || 'nothing is declared that can run'}.** Counted since ${instantText(since)}.`,
    '',
    projectMarkdown(status),
    '',
  ];
  const told = shownAndRest(diagnostics, { command: 'roster status ', verbose });
  const budget = budgetBelow([...top, told.rest].join('\n'), RESERVED_SIZE, options);
  const groups = groupedByOwner(resources);
  const isOwned = groups !== null;
  const ordered = groups?.flatMap(({ items }) => items) ?? resources;
  const rows = budget.fill(ordered, (each) => rowItem(each, isOwned, status.environment));
  const warnings = fillWarnings(budget, told.shown, urlOf);
  const left = resources.length - rows.texts.length;
  const titles = isOwned ? ['Owner', ...TITLES] : TITLES;
  const head = resources.length === 0 ? [] : markdownTable(titles, []);
  const more =
    left === 0 ? [] : ['', `${left} more ${agree(left, 'resource is', 'resources are')} not shown.`];
  return [...top, ...head, ...rows.texts, ...more, ...warningsSection(warnings, told.rest), ''].join('\n');
}

function rowItem(each: ResourceStatus, isOwned: boolean, environment: string | null): PageItem {
  const { health, address, sync, lastRun, isRunning, nextRun, reason } = each;
  const said = [reason, holdBeside(each)]
    .filter((part) => part !== '')
    .map((part) => prose(part, LONGEST_REASON));
  const command = dataCheckCommand(each, environment);
  if (command !== null) said.push(tableCode(command));
  const cells = [
    ...(isOwned ? [ownerCell(each)] : []),
    bad.has(health) ? `**${healthText(each)}**` : healthText(each),
    tableCode(cut(address, WIDEST_CELL_COLUMNS)),
    syncLabels[sync],
    lastRun === null && !isRunning ? '' : prose(lastRunText(lastRun, isRunning)),
    tableCode(countsText(each)),
    nextRun === null ? '' : tableCode(instantText(nextRun)),
    said.join('; '),
  ];
  const short = `| ${cells.join(' | ')} |`;
  return { short, full: () => ({ text: short, shortened: 0 }), shortened: 0 };
}

/** In a cell, a bar would begin the next one. */
function prose(text: string, columns = WIDEST_CELL_COLUMNS): string {
  return shortProse(text, columns).replaceAll('|', '&#124;');
}
