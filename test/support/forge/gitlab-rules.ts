export type Variables = Readonly<Record<string, string>>;

/**
 * The part of GitLab's `rules:if` that the pipeline uses: variables, strings, `==`, `=~` and `&&`. Throws for anything
 * else. An unset variable is null, and equals another unset variable.
 */
export function ruleHolds(rule: string, variables: Variables): boolean {
  return rule.split('&&').every((each) => comparisonHolds(each.trim(), variables));
}

function comparisonHolds(text: string, variables: Variables): boolean {
  const [, name = '', operator, right = ''] = /^\$(\w+) (==|=~) (\$\w+|"[^"]*"|\/.+\/)$/.exec(text) ?? [];
  if (name === '') throw new Error(`not understood: ${text}`);
  const left = variables[name] ?? null;
  if (operator === '=~') return left !== null && new RegExp(right.slice(1, -1)).test(left);
  const other = right.startsWith('$') ? (variables[right.slice(1)] ?? null) : right.slice(1, -1);
  return left === other;
}
