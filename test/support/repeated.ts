import { parse, stringify } from 'yaml';

const SECTIONS = ['groups', 'pipelines', 'schedules', 'keys'];

type Properties = Readonly<Record<string, unknown>>;

/**
 * The text of a project that declares the same with `each`: entries of a section with the same properties are one entry,
 * repeated for the items of a variable, which hold the values. Values of the environment stay where they are allowed.
 */
export function withEach(text: string): string {
  const project = parse(text, { merge: true }) as Record<string, unknown>;
  const vars: Record<string, unknown> = {};
  const sections = SECTIONS.flatMap((section) => {
    const entries = project[section] as Record<string, Properties> | undefined;
    return entries === undefined ? [] : [[section, repeated(section, entries, vars)] as const];
  });
  const own = (project['vars'] ?? {}) as Properties;
  return stringify({ ...project, vars: { ...own, ...vars }, ...Object.fromEntries(sections) });
}

/** Without `each`, values of the environment, and variables that may be declared in other environments only. */
function isWhole(entry: Properties): boolean {
  const text = JSON.stringify(entry);
  if ('each' in entry || /(?<!\$)\$\{env\./.test(text)) return false;
  return !('environments' in entry && text.includes('${var.'));
}

function repeated(section: string, entries: Record<string, Properties>, vars: Record<string, unknown>) {
  const result: Record<string, unknown> = {};
  const groups = new Map<string, Record<string, Properties>>();
  for (const [key, entry] of Object.entries(entries)) {
    const isRepeatable = typeof entry === 'object' && entry !== null && isWhole(entry);
    if (!isRepeatable) {
      result[key] = entry;
      continue;
    }
    const names = Object.keys(entry).sort().join(' ');
    groups.set(names, { ...groups.get(names), [key]: entry });
  }
  for (const [index, items] of [...groups.values()].entries()) {
    const [first = {}] = Object.values(items);
    const values = Object.keys(first).map((name) => [name, `\${each.value.${name}}`]);
    vars[`${section}-${index}`] = items;
    // The same key twice would be a duplicate in the file: what differs in it is empty in every item.
    const key = `\${each.key}${'${each.value.nothing}'.repeat(index)}`;
    for (const item of Object.values(items)) Object.assign(item, index === 0 ? {} : { nothing: '' });
    result[key] = { each: `\${var.${section}-${index}}`, ...Object.fromEntries(values) };
  }
  return result;
}
