import type { Diagnostic, Place, Severity } from '../../model/diagnostic.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import { severityCounts, severityLabels } from '../plan-words.js';
import { hangingIndent, wrap } from './layout.js';
import { type Style, type TextLayout, type TextOptions, textLayout } from './paint.js';
import { excerpt, placeText } from './source-excerpt.js';

interface DiagnosticTextOptions extends TextLayout {
  /** Columns for line numbers: all excerpts of one diagnostic share a gutter. */
  readonly gutter: number;
}

const severityStyles: Readonly<Record<Severity, Style>> = {
  error: 'danger',
  warning: 'warning',
  info: 'faint',
};

/**
 * Every diagnostic with its code, place, source line with the span marked, and help (contract §7), errors last, then the
 * counts and where to read about the errors. While there are errors, everything else is only counted, unless `verbose`. Empty if there are no diagnostics.
 */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  if (diagnostics.length === 0) return '';
  const layout = textLayout(options);
  const of = (severity: Severity) => diagnostics.filter((each) => each.severity === severity);
  const [errors, others] = [of('error'), [...of('info'), ...of('warning')]];
  const hidden = errors.length > 0 && !layout.verbose ? others : [];
  const shown = [...(hidden.length > 0 ? [] : others), ...errors];
  const blocks = shown.map((each) => diagnosticLines(each, layout).join('\n'));
  const counts = countLine(shown) + hiddenText(hidden);
  const tail = [layout.paint('strong', counts), ...learnMoreLines(errors, layout.width)].join('\n');
  return `${[...blocks, tail].join('\n\n')}\n`;
}

/** The command that explains the codes of the errors. */
function learnMoreLines(errors: readonly Diagnostic[], width: number): string[] {
  // A mistake on the command line already names the help of its command.
  const codes = [...new Set(errors.map(({ code }) => code))].filter((each) => each !== 'usage');
  if (codes.length === 0) return [];
  return wrap(`Learn more: roster explain ${codes.join(' ')}`, width);
}

function hiddenText(hidden: readonly Diagnostic[]): string {
  if (hidden.length === 0) return '';
  const [are, them] = hidden.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `. ${severityCounts(hidden).join(' and ')} ${are} not shown; \`-v\` shows ${them}.`;
}

/** `2 errors, 1 warning, 1 note`. */
export function countLine(diagnostics: readonly Diagnostic[]): string {
  return severityCounts(diagnostics).join(', ');
}

function diagnosticLines(diagnostic: Diagnostic, outer: TextLayout): string[] {
  const { severity, code, message, place, help, related = [] } = diagnostic;
  const places = [...(place === undefined ? [] : [place]), ...related.map((each) => each.place)];
  const gutter = Math.max(0, ...places.map((each) => String(each.line).length));
  const layout = { ...outer, gutter };
  const style = severityStyles[severity];
  return [
    ...titleLines(`${severityLabels[severity]}[${code}]`, message, style, layout),
    ...(place === undefined ? [] : placeLines(place, style, layout)),
    ...related.flatMap((each) => [
      ...titleLines('note', each.message, 'kept', layout),
      ...placeLines(each.place, 'kept', layout),
    ]),
    ...(help === undefined ? [] : helpLines(help, layout)),
  ];
}

function titleLines(
  title: string,
  message: string,
  style: Style,
  { width, paint }: DiagnosticTextOptions,
): string[] {
  // The title is one word, so it can be wrapped with the message and colored afterwards.
  const [first = title, ...rest] = wrap(`${title}: ${escapeControls(message)}`, width - 6);
  const plain = first.slice(title.length);
  const paintMessage = (text: string) => (style === 'faint' ? text : paint('strong', text));
  return [paint(style, title) + paintMessage(plain), ...rest.map((line) => `      ${paintMessage(line)}`)];
}

function placeLines(place: Place, style: Style, { width, gutter, paint }: DiagnosticTextOptions): string[] {
  const space = ' '.repeat(gutter);
  const bar = paint('kept', `${space} |`);
  const where = `${paint('kept', `${space}-->`)} ${cut(placeText(place), width - gutter - 4)}`;
  const { text, start, length } = excerpt(place, width - gutter - 3);
  const number = paint('kept', `${String(place.line).padStart(gutter)} |`);
  const source = text === '' ? number : `${number} ${text}`;
  return [where, bar, source, `${bar} ${' '.repeat(start)}${paint(style, '^'.repeat(length))}`];
}

function helpLines(help: string, { width, gutter, paint }: DiagnosticTextOptions): string[] {
  const lead = `${' '.repeat(gutter)} = help: `;
  return hangingIndent(lead, wrap(escapeControls(help), width - lead.length)).map((line) =>
    line.startsWith(lead) ? paint('kept', lead) + line.slice(lead.length) : line,
  );
}
