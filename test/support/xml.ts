export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

const CHARACTER = String.raw`[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]`;
const VALUE = `"((?:(?![<&"])${CHARACTER}|&(?:amp|lt|gt|quot);)*)"`;
const TOKEN = new RegExp(String.raw`\s*<(?:/(\w+)|(\w+)((?:\s+\w+=${VALUE})*)(/?))>`, 'uy');
const ATTRIBUTE = new RegExp(String.raw`(\w+)=${VALUE}`, 'gu');
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** Reads the part of XML that reports use: elements with attributes. Throws for anything else, such as text or a stray `&`. */
export function readXml(text: string): Element {
  if (!text.startsWith(DECLARATION)) throw new Error('there is no declaration');
  const top: Element = { name: '', attributes: {}, children: [] };
  const open = [top];
  let at = DECLARATION.length;
  while (text.slice(at).trim() !== '') {
    TOKEN.lastIndex = at;
    const [all, ended, begun, attributes = '', , alone] = TOKEN.exec(text) ?? [];
    if (all === undefined) throw new Error(`not understood: ${text.slice(at, at + 80)}`);
    at += all.length;
    if (begun === undefined && open.pop()?.name !== ended)
      throw new Error(`</${ended}> ends another element`);
    if (begun === undefined) continue;
    const element = { name: begun, attributes: attributesOf(attributes), children: [] };
    open.at(-1)?.children.push(element);
    if (alone === '') open.push(element);
  }
  const [root, ...others] = top.children;
  if (root === undefined || others.length > 0 || open.length > 1) throw new Error('there is not one element');
  return root;
}

function attributesOf(text: string): Record<string, string> {
  const all = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', value = '']) => [name, decoded(value)] as const,
  );
  if (new Set(all.map(([name]) => name)).size < all.length) throw new Error(`an attribute twice: ${text}`);
  return Object.fromEntries(all);
}

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function decoded(value: string): string {
  return value.replace(/&(\w+);/g, (_, name: string) => characters[name] ?? '');
}
