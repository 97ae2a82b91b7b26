import { holdText } from '../../model/hold.js';
import type {
  ListedAgent,
  ListedObject,
  ListedSection,
  ListedStatus,
  ServiceListing,
} from '../../model/kind.js';
import { escapeControls } from '../escape.js';
import { factSentence, unmanagedFact } from '../plan-words.js';
import {
  type Column,
  indent,
  joinBlocks,
  type TextLayout,
  type TextOptions,
  table,
  textLayout,
  titled,
  wrap,
} from './layout.js';
import { headerLines } from './plan-text.js';

export interface ListTextOptions extends TextOptions {
  /** Only objects that are not managed here were asked for. */
  readonly unmanaged: boolean;
  /** Shows the input keys of agents. */
  readonly inputs: boolean;
  /** Only agents that nothing starts were asked for. */
  readonly unused: boolean;
}

/** A table for each section, with what the project declares first, and a line that says what is not managed. */
export function listText(view: ServiceListing, options: ListTextOptions): string {
  const layout = textLayout(options);
  const { agents, sections } = view;
  const hasProject = view.project !== null;
  // A section without objects says nothing, unless it was asked for by name.
  const shown = options.unmanaged ? sections.filter(({ objects }) => objects.length > 0) : sections;
  return joinBlocks([
    listHeader(view, layout),
    ...(agents === null ? [] : [agentLines(agents, options, layout)]),
    ...shown.map((each) => sectionLines(each, { ...options, hasProject }, layout)),
    footer(view, options.unmanaged, layout),
  ]);
}

function listHeader({ project, ...rest }: ServiceListing, layout: TextLayout): string[] {
  const lines = headerLines({ ...rest, project: project ?? '' }, layout);
  return project === null ? lines.filter((_, index) => index > 0) : lines;
}

function agentLines(
  agents: readonly ListedAgent[],
  { inputs, unused }: ListTextOptions,
  layout: TextLayout,
): string[] {
  const columns: Column<ListedAgent>[] = [
    { title: 'agent', text: ({ externalAgentId }) => escapeControls(externalAgentId) },
    { title: 'name', text: ({ name }) => escapeControls(name) },
    ...(inputs ? [] : [{ title: 'inputs', text: (each: ListedAgent) => String(each.inputKeys.length) }]),
    { title: 'id', text: ({ id }) => id },
  ];
  const [titles = '', ...rows] = table(columns, agents);
  const lines = rows.flatMap((row, index) => [
    row,
    ...(inputs ? indent(inputLines(agents[index] as ListedAgent), 4) : []),
  ]);
  const title = unused ? 'Agents that no schedule starts' : 'Agents';
  return titled(`${title}: ${agents.length === 0 ? 'none' : agents.length}`, [titles, ...lines], layout);
}

/** `country = "DE"`: in quotes, so that an empty value is visible. */
function inputLines({ inputs = [] }: ListedAgent): string[] {
  if (inputs.length === 0) return ['no inputs'];
  return inputs.map(({ key, defaultValue }) => {
    const value = defaultValue === null ? '' : ` = ${JSON.stringify(defaultValue)}`;
    return escapeControls(`${key}${value}`);
  });
}

interface SectionOptions extends ListTextOptions {
  readonly hasProject: boolean;
}

function sectionLines(
  { section, objects }: ListedSection,
  options: SectionOptions,
  layout: TextLayout,
): string[] {
  const title = `${section.charAt(0).toUpperCase()}${section.slice(1)}`;
  const lines = table(columnsOf(objects, options), objects);
  return titled(`${title}: ${countsText(objects, options)}`, lines, layout);
}

const statusTexts: Readonly<Record<ListedStatus, string>> = {
  declared: 'declared',
  external: 'external',
  undeclared: 'no longer declared',
  elsewhere: 'managed by another project',
  unmanaged: 'not managed here',
};

function countsText(objects: readonly ListedObject[], { hasProject, unmanaged }: SectionOptions): string {
  if (objects.length === 0) return 'none';
  if (!hasProject) return String(objects.length);
  if (unmanaged) return `${objects.length} ${statusTexts.unmanaged}`;
  const counts = new Map<ListedStatus, number>();
  for (const { status } of objects) if (status !== null) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = Object.entries(statusTexts).flatMap(([status, text]) => {
    const number = counts.get(status as ListedStatus);
    return number === undefined ? [] : `${number} ${text}`;
  });
  return `${objects.length} (${parts.join(', ')})`;
}

function columnsOf(
  objects: readonly ListedObject[],
  { hasProject, unmanaged, verbose = false }: SectionOptions,
): Column<ListedObject>[] {
  const titles = Object.keys(objects[0]?.columns ?? {});
  const needsId = (each: ListedObject) => verbose || each.status === null || each.status !== 'declared';
  const optional: Column<ListedObject>[] = [
    { title: 'id', text: (each) => (needsId(each) ? escapeControls(each.id ?? 'not shown') : '') },
    { title: 'note', text: noteOf },
  ];
  return [
    ...(hasProject && !unmanaged ? [{ title: 'address', text: addressOf }] : []),
    ...(objects.some(({ name }) => name !== null)
      ? [{ title: 'name', text: ({ name }: ListedObject) => escapeControls(name ?? '') }]
      : []),
    ...titles.map((title) => ({
      title,
      text: ({ columns }: ListedObject) => escapeControls(columns[title] ?? ''),
    })),
    ...optional.filter(({ text }) => objects.some((each) => text(each) !== '')),
  ];
}

function addressOf({ address, status }: ListedObject): string {
  if (address === null) return status === 'undeclared' ? statusTexts.undeclared : '-';
  return escapeControls(address);
}

function noteOf({ address, status, canManage, caller, held, managedBy }: ListedObject): string {
  const notes = [
    ...(held === undefined ? [] : [escapeControls(holdText(held))]),
    ...(caller === true ? ['this key'] : []),
    ...(status === 'external' ? [statusTexts.external] : []),
    ...(status === 'undeclared' && address !== null ? [statusTexts.undeclared] : []),
    ...(managedBy === undefined ? [] : [escapeControls(`managed by project ${managedBy}`)]),
    ...(canManage === false && status !== 'external' ? ['cannot be managed'] : []),
  ];
  return notes.join(', ');
}

function footer(
  { unmanaged, sections }: ServiceListing,
  only: boolean,
  { width, paint }: TextLayout,
): string[] {
  if (unmanaged === null) return [];
  const noun = sections.length === 1 ? (sections[0]?.section ?? '') : 'objects';
  const [fact] = only ? unmanagedFact(unmanaged, '') : unmanagedFact(unmanaged);
  if (fact === undefined) return only ? [paint('strong', `All ${noun} are managed here.`)] : [];
  const canImport = sections.some(({ objects }) =>
    objects.some(({ status, canManage }) => status === 'unmanaged' && canManage !== false),
  );
  const next = 'Next: `roster pull` writes entries for what can be managed.';
  return [...wrap(factSentence(fact), width), ...(only && canImport ? wrap(next, width) : [])];
}
