import { relative, resolve, sep } from 'node:path';
import { kinds } from '../../kinds/index.js';
import { Problem, problem } from '../../model/diagnostic.js';
import type { ImportEntry } from '../../pull/import-entries.js';
import type { SplitBy } from '../../pull/import-files.js';
import { EditableFile } from '../../yaml/edit/edit-file.js';
import { applyEdits, isObstacle } from '../../yaml/edit/text-edits.js';
import { type CheckContext, check } from './check.js';
import { layOut, missingIncludes, type NewText } from './layout.js';
import { noOverlay } from './overlay.js';

/** A file as it will be. */
export interface PulledFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/** Where new entries go. */
export interface NewFilesOptions {
  /** The folder of new files. Default: `imported`. */
  readonly out?: string | undefined;
  /** One file for all new entries. */
  readonly into?: string | undefined;
  /** What new files are split by. Default: `kind`. */
  readonly by?: SplitBy | undefined;
}

/** The files of a project as they will be. `texts` are its files by their names as shown, `changed` those with remote values. */
export class FileMaker {
  constructor(
    private readonly wanted: NewFilesOptions,
    private readonly context: CheckContext,
    private readonly texts: ReadonlyMap<string, string>,
  ) {}

  files(entries: readonly ImportEntry[], changed: ReadonlyMap<string, string>) {
    const { root, file } = this.context.session.project;
    const { cwd } = this.context.options;
    const { out, into, by = 'kind' } = this.wanted;
    const paths = new Map([...this.texts.keys()].map((each) => [each, this.pathOf(each)]));
    const now = (each: string) => changed.get(each) ?? this.texts.get(each) ?? '';
    const texts = new Map([...paths].map(([shown, path]) => [path, now(shown)]));
    const added = layOut(entries, kinds, { root, cwd, out, into, by }, texts);
    const { patterns } = check(this.context, noOverlay);
    const include = missingIncludes(added, patterns, new Set(paths.values()), { root, into });
    const result = new Map<string, PulledFile & Pick<NewText, 'entries'>>();
    for (const [shown, after] of changed) {
      const path = this.pathOf(shown);
      result.set(path, { path, before: this.texts.get(shown) ?? '', after, entries: [] });
    }
    for (const { path, before, after, entries: own } of added) {
      const original = before === null ? null : (this.original(path) ?? before);
      result.set(path, { path, before: original, after, entries: own });
    }
    if (include.length > 0) {
      const path = this.pathOf(file);
      const last = result.get(path);
      const text = this.withIncludes(last?.after ?? this.texts.get(file) ?? '', include);
      result.delete(path);
      result.set(path, {
        path,
        before: this.texts.get(file) ?? '',
        after: text,
        entries: last?.entries ?? [],
      });
    }
    return { files: [...result.values()], include };
  }

  private original(path: string): string | undefined {
    return [...this.texts].find(([shown]) => this.pathOf(shown) === path)?.[1];
  }

  private withIncludes(before: string, patterns: readonly string[]): string {
    let text = before;
    for (const pattern of patterns) {
      const edited = new EditableFile(text, (each) => each.includes('${')).addToList(
        'include',
        pattern,
        'project',
      );
      if (isObstacle(edited)) {
        const help = `Add \`${pattern}\` to \`include\` yourself, or use \`--into\` with a file of the project.`;
        throw problem('usage', '`include` is written in a form that cannot be extended', help);
      }
      text = applyEdits(text, edited);
    }
    this.checkIncludes(text, patterns);
    return text;
  }

  private checkIncludes(text: string, patterns: readonly string[]): void {
    const { file } = this.context.session.project;
    const checked = check(this.context, {
      changed: new Map([[file, text]]),
      added: [],
      ahead: new Set(patterns),
    });
    if (checked.errors.length > 0) throw new Problem(checked.errors);
    if (patterns.every((each) => checked.patterns.includes(each))) return;
    throw problem(
      'usage',
      '`include` cannot be extended',
      `Add \`${patterns.join('`, `')}\` to \`include\` yourself.`,
    );
  }

  /** The path of a file that is shown relative to the project's folder. */
  private pathOf(shown: string): string {
    const { session, options } = this.context;
    return relative(session.project.root, resolve(options.cwd, shown)).split(sep).join('/');
  }
}
