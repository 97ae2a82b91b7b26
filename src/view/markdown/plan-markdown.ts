import type { Diagnostic, Place } from '../../model/diagnostic.js';
import type { Change, Objection, Plan } from '../../model/plan.js';
import { summarise } from '../../model/plan.js';
import { callsOf } from '../calls.js';
import { actingActions, actionWords, needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { touchedGraph } from '../graph/touched-graph.js';
import { count, cut } from '../text/layout.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { changeMarkdown, placeMarkdown } from './change-markdown.js';
import { markdownCode, markdownMarker, markdownProse } from './markdown-escape.js';
import { type Block, type Measure, type Packed, pack } from './markdown-pack.js';

/** GitHub refuses comments over 65,536 characters. */
export const markdownLimit = 65_000;

export interface MarkdownOptions {
  /** Where the line of a manifest can be read; null where no commit is known. */
  urlOf?(place: Place): string | null;
  readonly limit?: number;
  readonly measure?: Measure;
}

/** Kept free for headings, and for the sentences that say what is left out. */
const reserve = 3_000;
/** Warnings get this much before the details of harmless changes do. */
const warningsRoom = 8_000;
const shownSentences = 10;

/**
 * The plan as a comment on a pull request (contract §6, markdown): counts and digest, what can hurt, the rest by kind,
 * what targets what, warnings; details folded. Never over the limit: deletes and key changes are whole before anything
 * else is shown, what does not fit is counted.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const { measure = (text) => text.length, limit = markdownLimit, urlOf = () => null } = options;
  const acting = plan.changes.filter((change) => change.action !== 'none');
  const context = { urlOf, callsOf: callsOf(plan) };
  const block = (change: Change) => changeMarkdown(change, context);
  const { careful, retimed, others } = byRisk(acting);

  const top = header(plan);
  const space = new Space(limit - reserve - measure(top), measure);
  const first = space.fill(careful, block);
  const second = space.fill(retimed, block);
  const warnings = space.fillUpTo(warningsRoom, plan.diagnostics, (each) => diagnosticBlock(each, urlOf));
  const drawn = touchedGraph(plan);
  const graph = space.place(drawn);
  const third = space.fill(others, block);

  return [
    top,
    ...omissions([first, second, third], warnings, graph.length < drawn.length),
    ...section('### What can hurt', [
      ...part('#### Deletes', first, (change) => change.action === 'delete'),
      ...part('#### Key changes', first, (change) => change.action !== 'delete'),
      ...part('#### Schedules that run more often, or at another hour', second),
    ]),
    ...section(
      '### Changes',
      kindsOf(others).flatMap((kind) =>
        part(kindTitle(kind, others), third, (change) => change.kind === kind),
      ),
    ),
    ...graph,
    ...section('### Warnings', part(null, warnings)),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

interface ByRisk {
  readonly careful: readonly Change[];
  readonly retimed: readonly Change[];
  readonly others: readonly Change[];
}

function byRisk(acting: readonly Change[]): ByRisk {
  const deletes = acting.filter((change) => change.action === 'delete');
  const keys = acting.filter((change) => change.action !== 'delete' && needsCare(change));
  const rest = acting.filter((change) => !needsCare(change));
  return {
    careful: [...deletes, ...keys],
    retimed: rest.filter((change) => change.risks.length > 0),
    others: rest.filter((change) => change.risks.length === 0),
  };
}

/** What was asked to be shown, and how much of it is. */
interface Filled<T> {
  readonly items: readonly T[];
  readonly packed: Packed;
}

/** The room that is left. Once something had to be cut, nothing that comes after it is shown. */
class Space {
  private over = false;

  constructor(
    private left: number,
    private readonly measure: Measure,
  ) {}

  /** What must be whole before anything after it is shown. */
  fill<T>(items: readonly T[], block: (item: T) => Block): Filled<T> {
    const filled = this.fillUpTo(this.left, items, block);
    this.over ||= filled.packed.full < items.length;
    return filled;
  }

  fillUpTo<T>(most: number, items: readonly T[], block: (item: T) => Block): Filled<T> {
    const packed = pack(items, block, this.over ? 0 : Math.min(this.left, most), this.measure);
    this.left -= packed.size;
    return { items, packed };
  }

  place(lines: readonly string[]): readonly string[] {
    const size = this.measure(lines.join('\n')) + 1;
    if (this.over || size > this.left) return [];
    this.left -= size;
    return lines;
  }
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, '', ...lines];
}

function part<T>(
  title: string | null,
  { items, packed }: Filled<T>,
  only: (item: T) => boolean = () => true,
): string[] {
  const texts = packed.texts.filter((_, index) => {
    const item = items[index];
    return item !== undefined && only(item);
  });
  return texts.length === 0 ? [] : [...(title === null ? [] : [title, '']), ...texts, ''];
}

function kindsOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map((change) => change.kind))];
}

function kindTitle(kind: string, changes: readonly Change[]): string {
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`;
  return `#### ${name}: ${countsOf(changes.filter((change) => change.kind === kind))}`;
}

/** `2 to create, 1 to update`. */
function countsOf(changes: readonly Change[]): string {
  const summary = summarise(changes);
  return actingActions
    .filter((action) => summary[action] > 0)
    .map((action) => `${summary[action]} to ${actionWords[action].verb}`)
    .join(', ');
}

function header(plan: Plan): string {
  const { project, environment, service, snapshot, digest, objections, changes } = plan;
  const counts = countsOf(changes);
  const { unchanged } = summarise(changes);
  const line =
    counts === ''
      ? `**No changes.** The service matches the manifests (${unchanged} unchanged).`
      : `**Plan: ${counts}**, ${unchanged} unchanged.`;
  const where = environment === null ? '' : `, environment ${code(environment, 100)}`;
  return [
    markdownMarker(cut(project, 200), environment === null ? null : cut(environment, 200)),
    `${line} Digest ${code(digest, 100)}`,
    '',
    `Project ${code(project, 100)}${where}, service ${code(service, 300)}`,
    ...(snapshot === undefined ? [] : ['', `Planned against ${snapshotAge(snapshot)}.`]),
    '',
    ...objectionLines(objections),
  ].join('\n');
}

function objectionLines(objections: readonly Objection[]): string[] {
  if (objections.length === 0) return [];
  const lines = objections.slice(0, shownSentences).map(({ code: reason, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${prose(help)})`;
    return `> - ${code(reason, 60)} ${prose(message)}${advice}`;
  });
  const more = objections.length - lines.length;
  return [
    '> [!CAUTION]',
    '> **Apply would refuse this plan:**',
    '>',
    ...lines,
    ...(more > 0 ? [`> - … and ${more} more`] : []),
    '',
  ];
}

function diagnosticBlock(
  { severity, code: reason, message, place, help }: Diagnostic,
  urlOf: (place: Place) => string | null,
): Block {
  const where = place === undefined ? '' : ` at ${placeMarkdown(place, urlOf)}`;
  const short = `- **${severity}** ${code(reason, 60)}${where}: ${prose(message)}`;
  return { short, full: () => (help === undefined ? short : `${short} (help: ${prose(help)})`) };
}

/** What the limit kept out, by kind: the reader knows what was not seen. */
function omissions(
  parts: readonly Filled<Change>[],
  warnings: Filled<Diagnostic>,
  noGraph: boolean,
): string[] {
  const left = parts.flatMap(({ items, packed }) => items.slice(packed.texts.length));
  const bare = parts.reduce((sum, { packed }) => sum + packed.texts.length - packed.full, 0);
  const untold = warnings.items.length - warnings.packed.texts.length;
  const sentences = [
    ...kindsOf(left).map((kind) => {
      const those = left.filter((change) => change.kind === kind);
      return `${count(those.length, kind)} left out (${countsOf(those)})`;
    }),
    ...(bare === 0 ? [] : [`${count(bare, 'change')} shown without details`]),
    ...(untold === 0 ? [] : [`${count(untold, 'warning')} left out`]),
    ...(noGraph ? ['the graph left out'] : []),
  ];
  if (sentences.length === 0) return [];
  return [
    `> [!WARNING]`,
    `> **Too long to show all:** ${sentences.join('; ')}. The text and JSON plans show all.`,
    '',
  ];
}

function code(text: string, width: number): string {
  return markdownCode(cut(escapeControls(text), width));
}

function prose(text: string): string {
  return markdownProse(cut(escapeControls(text), 400));
}
