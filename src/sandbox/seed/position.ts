import { isNode, LineCounter, parseDocument } from 'yaml';

/** Where a part of a JSON text is: `line:column`, from 1. */

/** `agents[0].outcomes`, or the nearest part around it that the text has. Null where the text cannot be read. */
export function positionOf(text: string, where: string): string | null {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, schema: 'json', uniqueKeys: false });
  const path = [...where.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return written(lineCounter.linePos(node.range[0]));
  }
  return null;
}

/** Of the first syntax error. */
export function syntaxErrorIn(text: string): string | null {
  const lineCounter = new LineCounter();
  const [error] = parseDocument(text, { lineCounter, schema: 'json' }).errors;
  return error === undefined ? null : written(lineCounter.linePos(error.pos[0]));
}

function written({ line, col }: { line: number; col: number }): string {
  return `${line}:${col}`;
}
