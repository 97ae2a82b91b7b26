import { escaped } from '../model/template.js';
import type { Span } from '../yaml/source.js';
import { quoted, unsafe } from '../yaml/text.js';
import { type Entry, type ScalarNode, scalarNode } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { numberProblem, rewriting } from './numbers.js';

/** The variables that need no declaration. No declared one has a dot in its name. */
export const ENVIRONMENT_VARIABLE = 'roster.environment';
const PROJECT_VARIABLE = 'roster.project';

export function isBuiltIn(name: string): boolean {
  return name === ENVIRONMENT_VARIABLE || name === PROJECT_VARIABLE;
}

/** `${roster.environment}` has no value where no environment is selected. */
export function builtIns(
  start: Span,
  project: Entry | undefined,
  environment: string | null,
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  if (project !== undefined) found.set(PROJECT_VARIABLE, project);
  if (environment !== null) {
    const key = { ...start, text: ENVIRONMENT_VARIABLE };
    found.set(ENVIRONMENT_VARIABLE, { key, value: scalarNode(start, environment) });
  }
  return found;
}

/** Where `${roster.environment}` has no value: the message and the help. */
export function noEnvironment(written: string): readonly [message: string, help: string] {
  const message = `${quoted(written)} has no value, because no environment is selected`;
  return [message, 'Select an environment with `-e` or `ROSTER_ENV`.'];
}

/** `--var NAME=VALUE`, by name. */
export type GivenVariables = Readonly<Record<string, string>>;

/**
 * The variables with the values that the command line gives some of them. A value gets the type of the one that it
 * replaces. `elsewhere` are the names that other environments declare: one command line may serve them all.
 */
export function withGiven(
  vars: ReadonlyMap<string, Entry>,
  given: GivenVariables,
  elsewhere: ReadonlySet<string>,
  diagnostics: Diagnostics,
): ReadonlyMap<string, Entry> {
  const result = new Map(vars);
  for (const [name, text] of Object.entries(given)) {
    const declared = vars.get(name);
    if (declared !== undefined) result.set(name, replaced(declared, text, diagnostics));
    else if (!elsewhere.has(name)) reportUnknown(name, [...vars.keys(), ...elsewhere], diagnostics);
  }
  return result;
}

function reportUnknown(name: string, known: readonly string[], diagnostics: Diagnostics): void {
  const near = diagnostics.suggestions.of(name, known, known.length);
  const help =
    near === null ? 'Declare it under `vars:` in `roster.yaml`.' : `Did you mean \`--var ${near}=…\`?`;
  diagnostics.error('unknown-variable', null, `--var: there is no variable ${quoted(name)}`, { help });
}

function replaced({ key, value }: Entry, text: string, diagnostics: Diagnostics): Entry {
  const written = value.type === 'scalar' ? read(value, text) : undefined;
  if (typeof written?.value === 'number') reportNumber(key, text, written.value, diagnostics);
  if (written !== undefined && unsafe(text, 'prose') === null) return { key, value: written };
  const wrong =
    written === undefined
      ? `must be ${typeOf(value)}, like the value that it replaces`
      : 'contains an invisible character';
  const help = value.type === 'scalar' ? undefined : 'Lists and maps can be set only in `roster.yaml`.';
  diagnostics.error('schema', key, `--var: the value of ${quoted(key.text)} ${wrong}`, { help });
  return { key, value };
}

function reportNumber(key: Entry['key'], text: string, value: number, diagnostics: Diagnostics): void {
  const message = (what: string) => `--var: the value of ${quoted(key.text)}: ${what}`;
  const wrong = numberProblem(text, value);
  const other = rewriting(text, value);
  if (wrong !== null) diagnostics.error('inexact-number', key, message(wrong.message));
  else if (other !== null) diagnostics.warning('rewritten-number', key, message(other.message));
}

/** Undefined for a text that has another type. What looks like a variable is text. */
function read(declared: ScalarNode, text: string): ScalarNode | undefined {
  switch (typeof declared.value) {
    case 'boolean':
      return text === 'true' || text === 'false' ? scalarNode(declared, text === 'true') : undefined;
    case 'number':
      return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? scalarNode(declared, Number(text)) : undefined;
    default:
      return scalarNode(declared, escaped(text));
  }
}

function typeOf(value: Entry['value']): string {
  if (value.type !== 'scalar') return `a ${value.type}`;
  return typeof value.value === 'boolean' ? '`true` or `false`' : 'a number';
}

const forms = `Use ${form('var.NAME')} or ${form('env.NAME')}, or write \`$$\{\` for a literal \`$\{\`.`;

/** What was most likely meant by a variable that is invalid or not declared. */
export class VariableHints {
  /** The environment that declares a variable, by its name. */
  private readonly elsewhere = new Map<string, string>();

  constructor(
    private readonly vars: ReadonlyMap<string, Entry>,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** Variables that an environment declares, whether it is the selected one or not. */
  mention(environment: string, names: Iterable<string>): void {
    for (const name of names) if (!this.elsewhere.has(name)) this.elsewhere.set(name, environment);
  }

  /** For a `${…}` in any other form. */
  ofForm(written: string): string {
    if (written === '${') return `Close it with \`}\`. ${forms}`;
    if (written.startsWith('${roster.'))
      return `Use ${form('roster.environment')} or ${form('roster.project')}.`;
    const item = this.meantItem(written);
    if (item !== null || written.startsWith('${each')) return this.ofItem(written, item);
    const meant = this.meant(insideOf(written));
    if (meant !== null) return `Did you mean ${form(meant)}?`;
    return isDouble(written) ? `Variables have one brace on each side. ${forms}` : forms;
  }

  /** For what stands for the item of a repeated entry, but in another form. */
  ofItem(written: string, meant = this.meantItem(written)): string {
    if (meant !== null) return `Did you mean ${form(meant)}?`;
    return `Use ${form('each.key')}, ${form('each.value')} or ${form('each.value.NAME')}.`;
  }

  /** `each.kye` or `eahc.value.x`, without its mistakes. */
  private meantItem(written: string): string | null {
    const [root = '', name = '', ...path] = insideOf(written).split('.');
    const near = (word: string, known: readonly string[]) =>
      known.includes(word) ? word : this.diagnostics.suggestions.of(word, known, known.length);
    const of = near(name, ['key', 'value']);
    if (near(root, ['each']) === null || of === null) return null;
    const isPath = of === 'value' && path.every((each) => /^[\w-]+$/.test(each));
    return ['each', of, ...(isPath ? path : [])].join('.');
  }

  ofName(name: string): string {
    const environment = this.elsewhere.get(name);
    if (environment !== undefined)
      return `It is declared for the environment ${quoted(environment)}: select that with \`-e\`, or declare the variable under \`vars:\` as well.`;
    const near = this.near(name);
    return near === null
      ? 'Declare it under `vars:` in `roster.yaml`.'
      : `Did you mean ${form(`var.${near}`)}?`;
  }

  /** `country`, `vars.country` or `ENV.HOME`, with the right prefix. */
  private meant(inside: string): string | null {
    const [, prefix = '', name = ''] = /^(?:([A-Za-z]+)\.)?([A-Za-z_][\w-]*)$/.exec(inside) ?? [];
    if (/^env/i.test(prefix)) return `env.${name}`;
    if (name === '' || (prefix !== '' && !/^var/i.test(prefix))) return null;
    const near = this.vars.has(name) ? name : this.near(name);
    return near === null ? null : `var.${near}`;
  }

  private near(name: string): string | null {
    return this.diagnostics.suggestions.of(name, this.vars.keys(), this.vars.size);
  }
}

/** `${{ x }}`, as GitHub Actions writes expressions. */
function isDouble(written: string): boolean {
  return written.startsWith('${{');
}

function insideOf(written: string): string {
  return (isDouble(written) ? written.slice(3, -2) : written.slice(2, -1)).trim();
}

function form(name: string): string {
  return `\`$\{${name}}\``;
}
