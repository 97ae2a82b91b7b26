import { readYaml, type YamlOptions, type YamlRead } from '../yaml/read.js';
import type { Hint, Source, SyntaxRules } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import { Diagnostics, type Reported } from './diagnostics.js';
import { expandInclude, type Included, type IncludeItem } from './include.js';
import { numberProblem } from './numbers.js';

/** A file and what it contains; what is read again refers to the file as it was read first. */
export interface ReadFile extends YamlRead {
  readonly source: Source;
}

/** The costly steps of reading a project. */
export interface ProjectReading {
  yaml(source: Source, options: YamlOptions): ReadFile;
  include(items: readonly IncludeItem[], root: string, diagnostics: Diagnostics): Included;
}

export const reading: ProjectReading = {
  yaml: (source, options) => ({ source, ...readYaml(source, options) }),
  include: expandInclude,
};

interface KnownFile {
  /** The limits apply to all files together, so a file is read as before only after the same files. */
  readonly before: YamlOptions['usage'];
  readonly after: YamlOptions['usage'];
  readonly read: ReadFile;
}

interface KnownInclude {
  readonly items: readonly IncludeItem[];
  readonly root: string;
  readonly included: Included;
  readonly findings: readonly Reported[];
}

/** Reads a project several times, for several environments: what these do not change is read once. */
export class SharedReading implements ProjectReading {
  private readonly files = new Map<string, KnownFile>();
  private known: KnownInclude | null = null;

  yaml(source: Source, options: YamlOptions): ReadFile {
    const { usage } = options;
    const known = this.files.get(source.file);
    if (known !== undefined && isSame(known.read.source, source) && isSameUsage(known.before, usage)) {
      Object.assign(usage, known.after);
      return known.read;
    }
    const before = { ...usage };
    const read = reading.yaml(source, options);
    this.files.set(source.file, { before, after: { ...usage }, read });
    return read;
  }

  include(items: readonly IncludeItem[], root: string, diagnostics: Diagnostics): Included {
    const known = this.known?.root === root && areSame(this.known.items, items) ? this.known : null;
    const { included, findings } = known ?? this.expand(items, root);
    for (const finding of findings) diagnostics.report(finding);
    return included;
  }

  private expand(items: readonly IncludeItem[], root: string): KnownInclude {
    const recorder = new Recorder();
    const included = reading.include(items, root, recorder);
    this.known = { items, root, included, findings: recorder.findings };
    return this.known;
  }
}

/** Keeps what is reported, for each environment to report. */
class Recorder extends Diagnostics {
  readonly findings: Reported[] = [];

  override report(finding: Reported): void {
    this.findings.push(finding);
    super.report(finding);
  }
}

function isSame(known: Source, source: Source): boolean {
  return known.order === source.order && known.text === source.text;
}

function isSameUsage(known: YamlOptions['usage'], usage: YamlOptions['usage']): boolean {
  const { values, collections, expanded } = usage;
  return known.values === values && known.collections === collections && known.expanded === expanded;
}

function areSame(known: readonly IncludeItem[], items: readonly IncludeItem[]): boolean {
  const isKnown = ({ pattern, span }: IncludeItem, index: number) =>
    known[index]?.pattern === pattern &&
    known[index].span.source === span.source &&
    known[index].span.start === span.start;
  return known.length === items.length && items.every(isKnown);
}

/** Longer than any cron expression or variable, so that searching around an error costs little. */
const SEARCHED_CHARACTERS = 600;

/** What manifests add to YAML: variables, and cron expressions, which YAML takes for aliases. */
export const yamlRules: SyntaxRules = {
  unquotedAt: unquotedCron,
  numberProblem,
  explain: unquotedVariable,
  templateHelp: 'Use variables instead: write `${var.name}`, and declare `name` under `vars:`.',
};

/** `cron: * * * * * *` */
function unquotedCron(text: string, at: number): Hint | null {
  const from = Math.max(0, at - SEARCHED_CHARACTERS);
  const near = text.slice(from, at + SEARCHED_CHARACTERS);
  if (!near.includes('cron:')) return null;
  for (const match of near.matchAll(/(?<=[\s{,]cron:[ \t]{1,20})\*[^\r\n}]*/g)) {
    const [written = ''] = match[0].split(/,\s|\s#/, 1);
    const start = from + match.index;
    const end = start + written.trimEnd().length;
    if (at < start || at >= end) continue;
    const help = `Put the cron expression in quotes: \`"${text.slice(start, end)}"\`.`;
    return { start, end, message: 'YAML reads a `*` without quotes as an alias', help };
  }
  return null;
}

/** `{ a: ${var.b} }`: to YAML, a map begins after the dollar sign. */
function unquotedVariable(text: string, at: number): Hint | null {
  const from = Math.max(text.lastIndexOf('\n', at), at - SEARCHED_CHARACTERS) + 1;
  const start = text.lastIndexOf('${', at);
  if (start < from) return null;
  const [use] = /^\$\{[\w.-]+\}/.exec(text.slice(start, start + 200)) ?? [];
  if (use === undefined || at > start + use.length) return null;
  const end = start + use.length;
  const [, before = ''] = PLAIN_BEFORE.exec(text.slice(from, start)) ?? [];
  const [after = ''] = PLAIN_AFTER.exec(text.slice(end, end + SEARCHED_CHARACTERS)) ?? [];
  const whole = `${before}${use}${after.trimEnd()}`;
  const message = 'a variable inside braces or brackets must be in quotes';
  const help = /["\\]/.test(whole) ? 'Put the whole text in quotes.' : `Write \`${quoted(whole)}\`.`;
  return { message, help, start, end };
}

/** The text around a variable, up to what ends a text in braces or brackets. It may contain other variables. */
const PLAIN = '(?:\\$\\{[\\w.-]+\\}|[^[\\]{},:#\\s]|:(?!\\s)|[ \\t](?!#))*';
const PLAIN_BEFORE = new RegExp(`(?:^|[[{,]|:\\s)[ \\t]*(${PLAIN})$`);
const PLAIN_AFTER = new RegExp(`^${PLAIN}`);
