/** The contexts of an expression: `github`, `secrets`, `vars`, `inputs`, `steps`. `cancelled` says whether the run is. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Contexts in which an unknown name is empty. In the others it is an error. */
const open: ReadonlySet<string> = new Set(['secrets', 'vars', 'inputs', 'outputs']);

/** Replaces the `${{ … }}` of a text, as GitHub does. */
export function filledIn(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, inner: string) => shown(evaluate(inner, contexts)));
}

/**
 * The part of GitHub's expression language that the workflows use: names, strings, `==`, `!=`, `!`, `&&`,
 * `||`, parentheses and `cancelled()`. Throws for anything else.
 */
export function evaluate(text: string, contexts: Contexts): unknown {
  const tokens = tokensOf(text);
  const value = disjunction(tokens, contexts);
  if (tokens.length > 0) throw new Error(`not understood in "${text}": ${tokens.join(' ')}`);
  return value;
}

function tokensOf(text: string): string[] {
  const token = /\s*('(?:[^']|'')*'|==|!=|&&|\|\||[()]|!|[A-Za-z_][\w.-]*(?:\(\))?)/y;
  const found: string[] = [];
  const source = text.trim();
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    if (match?.[1] === undefined) throw new Error(`not understood: ${source.slice(at)}`);
    found.push(match[1]);
  }
  return found;
}

function disjunction(tokens: string[], contexts: Contexts): unknown {
  let value = conjunction(tokens, contexts);
  while (tokens[0] === '||') {
    tokens.shift();
    const right = conjunction(tokens, contexts);
    value = isTrue(value) ? value : right;
  }
  return value;
}

function conjunction(tokens: string[], contexts: Contexts): unknown {
  let value = comparison(tokens, contexts);
  while (tokens[0] === '&&') {
    tokens.shift();
    const right = comparison(tokens, contexts);
    value = isTrue(value) ? right : value;
  }
  return value;
}

function comparison(tokens: string[], contexts: Contexts): unknown {
  const left = operand(tokens, contexts);
  if (tokens[0] !== '==' && tokens[0] !== '!=') return left;
  const operator = tokens.shift();
  const same = shown(left).toLowerCase() === shown(operand(tokens, contexts)).toLowerCase();
  return operator === '==' ? same : !same;
}

function operand(tokens: string[], contexts: Contexts): unknown {
  const token = tokens.shift();
  if (token === undefined) throw new Error('an expression that ends too early');
  if (token === '!') return !isTrue(operand(tokens, contexts));
  if (token === '(') {
    const value = disjunction(tokens, contexts);
    if (tokens.shift() !== ')') throw new Error('a parenthesis that is not closed');
    return value;
  }
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  if (token === 'cancelled()') return contexts['cancelled'] === true;
  return named(token, contexts);
}

function named(path: string, contexts: Contexts): unknown {
  let value: unknown = contexts;
  let parent = '';
  for (const name of path.split('.')) {
    const inner = value as Record<string, unknown>;
    if (!(name in inner) && !open.has(parent)) throw new Error(`there is no ${path}`);
    value = inner[name] ?? '';
    parent = name;
  }
  return value;
}

export function isTrue(value: unknown): boolean {
  return value !== '' && value !== false && value !== null && value !== undefined && value !== 0;
}

function shown(value: unknown): string {
  if (typeof value === 'object') throw new Error('a context is not a text');
  return String(value);
}
