import type { DiagnosticCode } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import { escapedValue, unescapedName, usesEnvironment } from '../model/template.js';
import type { ProblemText } from '../yaml/source.js';
import { quoted, type TextRule, unsafe } from '../yaml/text.js';
import { type Entry, type Node, type ScalarNode, scalarNode } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { rewriting, writtenNumber } from './numbers.js';
import { type Piece, pieces, piecesOf, TemplateReader, type Use, UsePlaces } from './template.js';
import { noSuchPath, notText, reach, type ValuePath } from './value-path.js';
import { bareObject, Notes, reportMissing, type Unset } from './values.js';
import { ENVIRONMENT_VARIABLE, isBuiltIn, noEnvironment, VariableHints } from './variable-names.js';

export interface VariableOptions {
  readonly vars: ReadonlyMap<string, Entry>;
  /** The values of `${roster.NAME}`, by their whole names. */
  readonly builtIns?: ReadonlyMap<string, Entry>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Leaves variables as written and reports only invalid ones: for what this run does not use. */
  readonly keep?: boolean;
  /** Reports a missing environment variable as a warning, and uses an empty string as its value. */
  readonly allowMissingEnv?: boolean | undefined;
  /** Uses an empty string as its value after an error, too: the entry is of use without it. */
  readonly partly?: boolean | undefined;
}

/** The help for an unknown variable, or the code and help of another problem. */
export type Fault = string | { readonly code: DiagnosticCode; readonly help: string };

const failed: unique symbol = Symbol('failed');

/** Reads values: replaces variables, and refuses null and invisible characters. */
export class Variables {
  readonly hints: VariableHints;
  readonly environment: EnvironmentValues;
  private readonly resolved = new Map<string, Resolved | 'resolving' | 'failed'>();
  /** What paths into variables lead to: measured once, however often it is used. */
  private readonly parts = new Map<string, Resolved>();
  /** Names declared where they have no effect, which is reported; null where they could not be read. */
  private ineffective: Set<string> | null = new Set();
  private readonly declared: ReadonlyMap<string, Entry>;
  private expanded = 0;
  /** Variables that are being resolved, each for the one before. */
  private chain = 0;
  private readonly places = new UsePlaces();
  private readonly templates = new TemplateReader(
    (name, path) => this.variableTemplate(name, path),
    (node, length) => this.affordText(node, length),
  );

  constructor(
    private readonly options: VariableOptions,
    private readonly diagnostics: Diagnostics,
  ) {
    this.hints = new VariableHints(options.vars, diagnostics);
    this.declared = new Map([...options.vars, ...(options.builtIns ?? [])]);
    this.environment = new EnvironmentValues(options.env);
  }

  /** True for a variable that a value refers to. */
  isUsed(name: string): boolean {
    return this.resolved.has(name);
  }

  /** Does not report uses of variables that are declared in a map that is not read. */
  excuse(unread: Node): void {
    if (unread.type !== 'map') this.ineffective = null;
    else for (const name of unread.entries.keys()) this.ineffective?.add(name);
  }

  /** A value that cannot be read is noted as broken, and becomes an empty text. `depth` counts the levels around it. */
  read(node: Node, rule: TextRule, notes: Notes, depth: number): Json {
    if (node.type === 'scalar') return this.scalar(node, rule, notes, depth);
    if (node.type === 'list') return node.items.map((item) => this.read(item, rule, notes, depth + 1));
    const value = bareObject();
    for (const [key, entry] of node.entries) {
      const name = unescapedName(key);
      const isSound = !key.includes('${') || (this.isName(entry.key) && this.isNew(name, value, entry.key));
      if (!isSound) notes.broken.add(entry.value);
      value[name] = this.read(entry.value, rule, notes, depth + 1);
    }
    return value;
  }

  /** What is no variable may be written in two ways. */
  private isNew(name: string, value: object, key: Entry['key']): boolean {
    if (!Object.hasOwn(value, name)) return true;
    const help = 'Remove one of them: `$${` stands for `${`.';
    this.diagnostics.error('duplicate-entry', key, `the name ${quoted(name)} is written twice`, { help });
    return false;
  }

  /** Names stay as they are written, which is not what somebody means who writes a variable. */
  private isName(key: Entry['key']): boolean {
    const use = pieces(key.text).find(({ type }) => type !== 'text' && type !== 'unknown');
    if (use === undefined || use.type === 'text') return true;
    const help =
      'Write the name out, or use the whole map of a variable or an item, such as `${each.value.inputs}`. For a literal `${`, write `$${`.';
    const fault = { code: 'misplaced-variable', help } as const;
    const message = `${quoted(use.written)} is not replaced in a name`;
    this.refuse(scalarNode(key, key.text), use, message, fault);
    return false;
  }

  /** A value that was read, as the manifest writes it: without what the environment holds (model/template.ts). */
  template(node: Node): Json {
    return this.templates.read(node);
  }

  private variableTemplate(name: string, path: ValuePath): Json {
    const found = this.known(name, path);
    return found === null ? '' : (found.template ?? escapedValue(found.value));
  }

  /** A variable that is resolved, or a part of it; null for none. */
  private known(name: string, path: ValuePath): Resolved | null {
    const whole = this.resolved.get(name);
    if (typeof whole !== 'object') return null;
    if (path.length === 0) return whole;
    const key = [name, ...path].join('.');
    const known = this.parts.get(key) ?? partOf(whole, path);
    if (known !== null) this.parts.set(key, known);
    return known;
  }

  private scalar(node: ScalarNode, rule: TextRule, notes: Notes, depth: number): Json {
    const value = this.valueOf(node, notes, depth);
    if (rule === 'prose' && typeof node.value === 'number') this.warnOfRewriting(node, node.value);
    if (value !== failed && this.isSafe(value, node, rule, notes)) return value;
    notes.broken.add(node);
    return '';
  }

  private warnOfRewriting(node: ScalarNode, value: number): void {
    const found = rewriting(writtenNumber(node), value);
    if (found !== null)
      this.diagnostics.warning('rewritten-number', node, found.message, { help: found.help });
  }

  private valueOf(node: ScalarNode, notes: Notes, depth: number): Json | typeof failed {
    if (node.broken) return failed;
    if (typeof node.value === 'string') return this.text(node, node.value, notes, depth);
    if (node.value !== null) return node.value;
    notes.missing.push(node);
    return failed;
  }

  private isSafe(value: Json, node: ScalarNode, rule: TextRule, notes: Notes): boolean {
    const problem = unsafeProblem(value, rule, notes.secret.has(node));
    if (problem === null) return true;
    this.diagnostics.error('unsafe-text', node, problem.message, { help: problem.help });
    return false;
  }

  private text(node: ScalarNode, text: string, notes: Notes, depth: number): Json | typeof failed {
    if (!text.includes('${')) return text;
    const parts = piecesOf(node, text);
    if (this.options.keep === true) return this.kept(node, text, parts);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'var') return this.replaced(node, only, notes, depth);
    const values = parts.map((piece) => this.part(node, piece, notes));
    if (values.includes(failed)) return failed;
    const counted = parts.map((piece, index) => this.countedText(piece, values[index]));
    const length = counted.reduce((sum, each) => sum + each.length, 0);
    const escaped = parts.find((piece, index) => this.isEscaped(piece, index, counted));
    if (escaped !== undefined && escaped.type !== 'text') return this.dollarBefore(node, escaped);
    return this.affordText(node, length) ? values.join('') : failed;
  }

  /** A value from the environment counts as it is written: what fits must not tell how long the value is. */
  private countedText(piece: Piece, value: unknown): string {
    if (piece.type === 'env') return piece.written;
    const template = piece.type === 'var' ? this.known(piece.name, piece.path)?.template : null;
    return String(template ?? value);
  }

  /** True for a value from the environment after a `$`: together, they would be an escape in the template. */
  private isEscaped(piece: Piece, index: number, texts: readonly string[]): boolean {
    const isTemplate =
      piece.type === 'env' || (piece.type === 'var' && this.known(piece.name, piece.path)?.template != null);
    return (
      isTemplate &&
      texts[index]?.startsWith('${env.') === true &&
      texts.slice(0, index).join('').endsWith('$')
    );
  }

  private dollarBefore(node: ScalarNode, use: Use): typeof failed {
    const help = 'Put another character between them: `$${` would be a literal `${`.';
    const fault = { code: 'misplaced-variable', help } as const;
    return this.refuse(node, use, `${quoted(use.written)} cannot follow a "$"`, fault);
  }

  private affordText(node: ScalarNode, length: number): boolean {
    if (length <= limits.text) return this.afford(node, 1 + (length >> 4));
    this.tooMuch(node, `the text is longer than ${limits.text} characters`);
    return false;
  }

  private kept(node: ScalarNode, text: string, parts: readonly Piece[]): string | typeof failed {
    const wrong = parts.find((piece) => piece.type === 'unknown' || piece.type === 'each');
    if (wrong?.type === 'each') return this.noItem(node, wrong);
    return wrong?.type === 'unknown' ? this.invalid(node, wrong) : text;
  }

  /** The item of a repeated entry has replaced its uses before. */
  private noItem(node: ScalarNode, use: Use): typeof failed {
    const help = 'It is known only in the key and the other properties of an entry that has `each`.';
    return this.refuse(node, use, `${quoted(use.written)} is not known here`, help);
  }

  private invalid(node: ScalarNode, use: Use): typeof failed {
    if (this.diagnostics.full) return this.skip();
    const what = use.written === '${' ? 'is not closed' : 'is not a variable';
    return this.refuse(node, use, `${quoted(use.written)} ${what}`, this.hints.ofForm(use.written));
  }

  private part(node: ScalarNode, piece: Piece, notes: Notes): string | typeof failed {
    if (piece.type === 'text') return piece.text;
    const value = this.replaced(node, piece, notes, 0);
    if (typeof value === 'symbol' || typeof value === 'string') return value;
    if (typeof value !== 'object') return String(value);
    const template = piece.type === 'var' ? this.known(piece.name, piece.path)?.template : null;
    const { message, help } = notText(piece.written, template ?? value);
    return this.refuse(node, piece, message, help);
  }

  private replaced(node: ScalarNode, use: Use, notes: Notes, depth: number): Json | typeof failed {
    if (use.type === 'unknown') return this.invalid(node, use);
    if (use.type === 'each') return this.noItem(node, use);
    if (use.type === 'env') return this.fromEnvironment(node, use, use.name, notes);
    if (notes.isElsewhere && !this.declared.has(use.name)) return failed;
    const resolved = this.inside(node, use);
    if (resolved !== failed && resolved.template !== null) {
      if (!notes.environment) return this.misplaced(node, use);
      if (!this.areSet(resolved.unset, notes)) return failed;
      notes.secret.add(node);
    }
    if (resolved === failed || !this.afford(node, resolved.size)) return failed;
    if (resolved.size > limits.entry)
      return this.tooMuch(node, `the variable contains more than ${limits.entry} values`);
    if (depth + resolved.height > limits.depth)
      return this.tooMuch(node, `values are nested more than ${limits.depth} levels deep`);
    return resolved.value;
  }

  /** The variable, or what a path into it leads to. */
  private inside(node: ScalarNode, use: Use & { readonly type: 'var' }): Resolved | typeof failed {
    const { name, path } = use;
    const whole = this.variable(node, use, name);
    if (whole === failed || path.length === 0) return whole;
    const found = this.known(name, path);
    if (found !== null) return found;
    const reached = reach(whole.value, path);
    if (reached.found !== undefined || this.diagnostics.full) return this.skip();
    const { message, help = '' } = noSuchPath(`var.${name}`, path, reached, this.diagnostics.suggestions);
    return this.refuse(node, use, message, help);
  }

  private fromEnvironment(node: ScalarNode, use: Use, name: string, notes: Notes): string | typeof failed {
    if (!notes.environment) return this.misplaced(node, use);
    if (notes.isElsewhere) return failed;
    const value = this.environment.use(name);
    const unset = typeof value === 'string' ? [] : [{ span: this.places.within(node, use), ...value }];
    if (!this.areSet(unset, notes)) return failed;
    notes.secret.add(node);
    const text = typeof value === 'string' ? value : '';
    return this.afford(node, environmentCost(text)) ? text : failed;
  }

  /**
   * False, and reported, for what has no value here. Of a variable, it is reported where that is used: where nothing from
   * the environment is allowed, that is the mistake.
   */
  private areSet(unset: readonly Unset[], notes: Notes): boolean {
    if (notes instanceof VariableNotes) notes.unset.push(...unset);
    else if (notes.isElsewhere) return unset.length === 0;
    else return unset.map((each) => this.isExcused(each)).every(Boolean);
    return true;
  }

  private isExcused({ span, code, message, help }: Unset): boolean {
    const { allowMissingEnv = false, partly = false } = this.options;
    const isMissing = code === 'missing-environment-variable';
    if (isMissing && allowMissingEnv) this.diagnostics.warning(code, span, message, { help });
    else this.diagnostics.error(code, span, message, { help });
    return isMissing && (allowMissingEnv || partly);
  }

  private misplaced(node: ScalarNode, use: Use): typeof failed {
    const message = `${quoted(use.written)} is not allowed here`;
    const what = use.type === 'env' ? '' : ' This variable contains one.';
    const help = `Environment variables are allowed only in \`inputs\` and \`description\`.${what}`;
    return this.refuse(node, use, message, { code: 'misplaced-variable', help });
  }

  /** Resolved when it is first used: a variable that this environment does not use need not be complete. */
  private variable(node: ScalarNode, use: Use, name: string): Resolved | typeof failed {
    const known = this.resolved.get(name);
    if (known === 'failed') return failed;
    if (known === 'resolving') {
      const message = `the variable ${quoted(name)} depends on itself`;
      return this.refuse(node, use, message, 'Give one of the variables a literal value.');
    }
    if (known !== undefined) return known;
    const entry = this.declared.get(name);
    if (entry === undefined) return this.noSuchVariable(node, use, name);
    if (this.chain >= limits.variableChain)
      return this.tooMuch(node, `a chain of references has more than ${limits.variableChain} variables`);
    this.resolved.set(name, 'resolving');
    this.chain += 1;
    const resolved = this.resolve(entry);
    this.chain -= 1;
    this.resolved.set(name, resolved ?? 'failed');
    return resolved ?? failed;
  }

  private resolve(entry: Entry): Resolved | null {
    const notes = new VariableNotes(true);
    // Whether it may contain line breaks, and how deep it will be, is known only where it is used.
    const before = this.expanded;
    const value = this.read(entry.value, 'prose', notes, 0);
    const spent = this.expanded - before;
    reportMissing(notes, this.diagnostics);
    if (notes.broken.size > 0) return null;
    const { unset } = notes;
    if (notes.secret.size === 0) return { value, template: null, unset, ...measureOf(value) };
    const template = this.template(entry.value);
    const { size, height } = measureOf(template);
    return { value, template, unset, height, size: size + spent };
  }

  private noSuchVariable(node: ScalarNode, use: Use, name: string): typeof failed {
    // A missing `project` is reported by itself.
    if (isBuiltIn(name))
      return name === ENVIRONMENT_VARIABLE ? this.refuse(node, use, ...noEnvironment(use.written)) : failed;
    if (this.ineffective?.has(name) ?? true) return failed;
    if (this.diagnostics.full) return this.skip();
    return this.refuse(node, use, `there is no variable ${quoted(name)}`, this.hints.ofName(name));
  }

  /** Reported once, where the limit is passed. */
  private afford(node: ScalarNode, size: number): boolean {
    if (this.expanded > limits.expanded) return false;
    this.expanded += size;
    if (this.expanded <= limits.expanded) return true;
    this.tooMuch(node, `variables add more than ${limits.expanded} values to the project`);
    return false;
  }

  private tooMuch(node: ScalarNode, message: string): typeof failed {
    this.diagnostics.error('limit-exceeded', node, message);
    return failed;
  }

  private refuse(node: ScalarNode, use: Use, message: string, fault: Fault): typeof failed {
    if (this.diagnostics.full) return this.skip();
    const { code, help } =
      typeof fault === 'string' ? { code: 'unknown-variable' as const, help: fault } : fault;
    this.diagnostics.error(code, this.places.within(node, use), message, { help });
    return failed;
  }

  private skip(): typeof failed {
    this.diagnostics.skip(1);
    return failed;
  }
}

/** What a variable stands for. */
export interface Resolved {
  readonly value: Json;
  /** Null without values from the environment. */
  readonly template: Json;
  /** The number of values in it, and its levels of maps and lists. */
  readonly size: number;
  readonly height: number;
  /** What it has of the environment that has no value. */
  readonly unset: readonly Unset[];
}

/** Of the value of a variable. */
class VariableNotes extends Notes {
  readonly unset: Unset[] = [];
}

/** Null where the path leads to nothing. Only what the part itself has of the environment is a secret. */
function partOf(whole: Resolved, path: ValuePath): Resolved | null {
  const { found: value } = reach(whole.value, path);
  if (value === undefined) return null;
  const { found = null } = whole.template === null ? {} : reach(whole.template, path);
  const template = usesEnvironment(found ?? undefined) ? found : null;
  const unset = template === null ? [] : whole.unset;
  return { value, template, unset, ...measureOf(template ?? value) };
}

/** Costs no more than what was counted when the value was put together. */
function measureOf(value: Json): Pick<Resolved, 'size' | 'height'> {
  if (typeof value === 'string') return { size: 1 + (value.length >> 4), height: 0 };
  if (typeof value !== 'object' || value === null) return { size: 1, height: 0 };
  let size = 1;
  let height = 0;
  for (const each of Object.values(value)) {
    const inner = measureOf(each);
    size += inner.size;
    height = Math.max(height, inner.height);
  }
  return { size, height: height + 1 };
}

/** Why a variable cannot be used. */
export interface EnvironmentFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly help: string;
}

/** Whoever opens a pull request chooses some of these values: its branch, its title. Others are keys of CI. */
const reserved = /^(ROSTER_|CI|GITHUB_|GH_|GIT_|GITLAB_|ACTIONS_|RUNNER_)/i;

/** The environment that `${env.NAME}` reads, and what was read from it. */
export class EnvironmentValues {
  private readonly known = new Map<string, string | EnvironmentFault>();
  private readonly used = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** Every value that was used so far: nothing that is printed may contain one. */
  get secrets(): string[] {
    return [...this.used];
  }

  /** Looked up once: the environment of a process makes a new copy each time. */
  use(name: string): string | EnvironmentFault {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const found = this.find(name);
    this.known.set(name, found);
    if (typeof found === 'string') this.used.add(found);
    return found;
  }

  private find(name: string): string | EnvironmentFault {
    if (reserved.test(name))
      return {
        code: 'misplaced-variable',
        message: `the environment variable ${name} cannot be used in a manifest`,
        help: 'Names that begin with `ROSTER_`, `CI`, `GITHUB_`, `GH_`, `GIT_`, `GITLAB_`, `ACTIONS_` or `RUNNER_` are reserved: they hold settings and keys of roster, git and CI, or what the author of a pull request chooses, such as its branch name. To use a CI value, pass it under another name.',
      };
    const value = Object.hasOwn(this.env, name) ? this.env[name] : undefined;
    if (value !== undefined && value.length > limits.text) return tooLong(name);
    if (value !== undefined && value !== '') return value;
    return {
      code: 'missing-environment-variable',
      message: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
      help: `Set ${name} where roster runs. In CI, pass it to the step.`,
    };
  }
}

function tooLong(name: string): EnvironmentFault {
  return {
    code: 'limit-exceeded',
    message: `the environment variable ${name} is longer than ${limits.text} characters`,
    help: 'Use a shorter value.',
  };
}

/** What a value costs, in steps: the exact length of a secret must not decide whether a project is accepted. */
function environmentCost(value: string): number {
  return Math.ceil(value.length / STEP) * (STEP >> 4);
}

const STEP = 256;

/** Null when all texts of a value are safe. Of a secret, not even the character is named. */
function unsafeProblem(value: Json, rule: TextRule, isSecret: boolean): ProblemText | null {
  const invisible = unsafeIn(value, rule);
  if (invisible === null) return null;
  const which = isSecret ? 'an invisible character' : `${invisible}, an invisible character`;
  const help =
    rule === 'line'
      ? 'Write this text on one line, without control, bidirectional or zero-width characters.'
      : undefined;
  return { message: `the value contains ${which}`, help };
}

/** The first character that the texts of a value must not have. Null if all are allowed. */
function unsafeIn(value: Json, rule: TextRule): string | null {
  if (typeof value === 'string') return unsafe(value, rule);
  if (typeof value !== 'object' || value === null) return null;
  for (const each of Object.values(value)) {
    const found = unsafeIn(each, rule);
    if (found !== null) return found;
  }
  return null;
}
