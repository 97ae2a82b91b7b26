import { isMap, isSeq, type YAMLMap } from 'yaml';
import {
  type Editable,
  editable,
  endOfPair,
  findPair,
  mergeOf,
  obstacle,
  ownObstacle,
  rangeOf,
} from './editable.js';
import { editMap, type PropertyChanges } from './map-edits.js';
import {
  type Edited,
  endOfLine,
  lineBreakOf,
  type Obstacle,
  startOfLine,
  type TextEdit,
} from './text-edits.js';
import { pairLines, type YamlValue } from './value-text.js';

/** A file whose values can be changed without touching other lines. The text must be one that `readYaml` accepts. */
export class EditableFile {
  private readonly file: Editable;

  constructor(text: string, isReference: (text: string) => boolean) {
    this.file = editable(text, isReference);
  }

  /** Changes properties of the map at this path. */
  edit(path: readonly string[], changes: PropertyChanges): Edited {
    const found = this.find(path);
    return 'obstacle' in found ? found : editMap(found.map, changes, this.file);
  }

  /** Adds a text to a list of the first level, which is added if there is none, after the property `after`. */
  addToList(name: string, item: string, after: string): Edited {
    const roots = this.file.documents.map(({ contents }) => contents).filter(isMap);
    const pair = roots.map((root) => findPair(root as YAMLMap, name)).find((each) => each !== undefined);
    if (pair === undefined) return this.addPair(roots as YAMLMap[], { name, value: [item], after });
    const own = ownObstacle(pair.value, pair.key, this.file);
    if (own !== null) return own;
    if (!isSeq(pair.value)) return obstacle('style', pair.key);
    const items = (existing: readonly unknown[]) => [...existing.keys(), item];
    const root = roots.find((each) => findPair(each as YAMLMap, name) === pair) as YAMLMap;
    return editMap(root, new Map([[name, { to: 'items', items }]]), this.file);
  }

  /**
   * Adds lines at the end of a section, with the indentation of what is in it; or a section at the end of the file, or in
   * a document of its own if it is there in a form that cannot be added to.
   */
  addToSection(name: string, linesWith: (indent: string) => readonly string[]): Edited {
    const { text } = this.file;
    const lineBreak = lineBreakOf(text);
    const [only, ...others] = this.file.documents;
    const root = others.length === 0 && isMap(only?.contents) ? (only.contents as YAMLMap) : null;
    const pair = root === null || root.flow ? undefined : findPair(root, name);
    const first = isMap(pair?.value) && !pair.value.flow ? rangeOf(pair.value.items[0]?.key)?.[0] : undefined;
    const indent = first === undefined ? '' : text.slice(startOfLine(text, first), first);
    if (pair !== undefined && indent !== '' && indent.trim() === '') {
      const at = endOfLine(text, endOfPair(pair, text));
      const lines = ['', ...linesWith(indent)].map((line) => `${lineBreak}${line}`);
      return [{ start: at, end: at, text: lines.join('') }];
    }
    // A section of its own would hide one that a merge key brings.
    const isMerged = root !== null && mergeOf(root, name, this.file) !== undefined;
    const isOpen = root !== null && !root.flow && pair === undefined && !isMerged;
    const before = text === '' || text.endsWith('\n') ? '' : lineBreak;
    const lines = [isOpen || text.trim() === '' ? '' : '---', `${name}:`, ...linesWith('  '), ''];
    const added = text.trim() === '' ? lines.slice(1) : lines;
    return [{ start: text.length, end: text.length, text: before + added.join(lineBreak) }];
  }

  private addPair(
    roots: readonly YAMLMap[],
    { name, value, after }: { readonly name: string; readonly value: YamlValue; readonly after: string },
  ): Edited {
    const { text } = this.file;
    const pair = roots.map((root) => findPair(root, after)).find((each) => each !== undefined);
    const root = roots.find((each) => each.items.some((own) => own === pair));
    const range = rangeOf(pair?.value);
    if (root === undefined || root.flow || range === null) return obstacle('style', pair?.key);
    const end = text.indexOf('\n', range[1] - 1);
    const lineBreak = lineBreakOf(text);
    const line = pairLines(name, value, '').join(lineBreak);
    const at = end === -1 ? text.length : end + 1;
    const insert: TextEdit = {
      start: at,
      end: at,
      text: end === -1 ? `${lineBreak}${line}` : `${line}${lineBreak}`,
    };
    return [insert];
  }

  private find(path: readonly string[]): { readonly map: YAMLMap } | Obstacle {
    let last: Obstacle = obstacle('missing', this.file.documents[0]?.contents);
    for (const { contents } of this.file.documents) {
      const found = this.within(contents, path);
      if (isMap(found)) return { map: found as YAMLMap };
      if (found !== null && 'obstacle' in found && found.obstacle !== 'missing') last = found;
    }
    return last;
  }

  private within(contents: unknown, path: readonly string[]) {
    let node: unknown = contents;
    for (const name of path) {
      if (!isMap(node)) return obstacle('missing', node);
      const map = node as YAMLMap;
      const pair = findPair(map, name);
      const merge = pair === undefined ? mergeOf(map, name, this.file) : undefined;
      if (merge !== undefined) return obstacle('merge', merge.key);
      if (pair === undefined) return obstacle('missing', node);
      const own = ownObstacle(pair.value, pair.key, this.file);
      if (own !== null) return own;
      node = pair.value;
    }
    return isMap(node) ? (node as YAMLMap) : obstacle('style', node);
  }
}
