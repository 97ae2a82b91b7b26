export interface Token {
  readonly type: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void };
  };
}

/**
 * A plugin for links that leave docs/. They lead to the repository; without one, only their text is left, because the site
 * has no such page. The README of docs/ is the first page of the site.
 */
export function linksOutside(repository: string | null): (markdown: Markdown) => void {
  const change = (tokens: readonly Token[]): Token[] => {
    let isRemoved = false;
    return tokens.flatMap((token) => {
      if (token.type === 'link_close' && isRemoved) {
        isRemoved = false;
        return [];
      }
      const target = token.type === 'link_open' ? token.attrGet('href') : null;
      if (target?.startsWith('README.md')) token.attrSet('href', target.replace('README.md', 'index.md'));
      if (!target?.startsWith('../')) return [token];
      if (repository === null) {
        isRemoved = true;
        return [];
      }
      token.attrSet('href', `${repository}/blob/HEAD/${target.slice('../'.length)}`);
      return [token];
    });
  };
  return ({ core }) =>
    core.ruler.push('links-outside', ({ tokens }) => {
      for (const token of tokens) if (token.children !== null) token.children = change(token.children);
    });
}
