import { widthOf } from '../../src/view/columns.js';

const column = 7.8;
const lineHeight = 18;
const margin = 18;
const bar = 34;

/** The colors that `src/view/text/layout.ts` uses, by their code in terminals. */
const colors: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  35: '#d2a8ff',
  36: '#79c0ff',
  90: '#8b949e',
};

interface Run {
  readonly text: string;
  readonly color: string | null;
  readonly bold: boolean;
}

/** What a terminal shows, as an SVG image: the text with its colors, in a window. */
export function terminalSvg(title: string, output: string): string {
  const lines = output.trimEnd().split('\n').map(runsOf);
  const columns = Math.max(80, ...lines.map((runs) => widthOf(runs.map(({ text }) => text).join(''))));
  const [width, height] = [
    Math.ceil(columns * column + 2 * margin),
    lines.length * lineHeight + bar + margin,
  ];
  const texts = lines.flatMap((runs, index) => textsOf(runs, bar + index * lineHeight + 13));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#e6edf3">
<title>${escapeXml(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#30363d"/>
<circle cx="20" cy="17" r="5" fill="#ff5f57"/><circle cx="38" cy="17" r="5" fill="#febc2e"/><circle cx="56" cy="17" r="5" fill="#28c840"/>
${texts.join('\n')}
</svg>
`;
}

/** Each run at its own column, and as wide as its columns: fonts differ in width. */
function textsOf(runs: readonly Run[], y: number): string[] {
  let at = 0;
  return runs.flatMap(({ text, color, bold }) => {
    const start = at;
    at += widthOf(text);
    if (text.trim() === '') return [];
    const style = `${color === null ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}`;
    const [x, length] = [margin + start * column, widthOf(text) * column].map((each) => each.toFixed(1));
    return `<text x="${x}" y="${y}" textLength="${length}" xml:space="preserve"${style}>${escapeXml(text)}</text>`;
  });
}

/** The parts of a line that look the same. */
function runsOf(line: string): Run[] {
  const [start = '', ...rest] = line.split('\x1b[');
  const runs: Run[] = [{ text: start, color: null, bold: false }];
  for (const part of rest) {
    const [, codes = '', text = ''] = /^([\d;]*)m(.*)$/.exec(part) ?? [];
    runs.push({ ...styled(runs.at(-1), codes.split(';').map(Number)), text });
  }
  return runs.filter(({ text }) => text !== '');
}

function styled(before: Run | undefined, codes: readonly number[]): Omit<Run, 'text'> {
  let { color, bold } = before ?? { color: null, bold: false };
  for (const code of codes) {
    if (code === 0 || code === 39) color = null;
    if (code === 0 || code === 22) bold = false;
    if (code === 1) bold = true;
    color = colors[code] ?? color;
  }
  return { color, bold };
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (each) => `&#${each.charCodeAt(0)};`);
}
