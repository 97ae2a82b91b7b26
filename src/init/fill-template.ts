import type { NewFile } from './project-files.js';

export type Values = Readonly<Record<string, string>>;

/**
 * Replaces each `__NAME__`. Alone on its line, as a comment or not, it stands for whole lines, which get its indentation;
 * an empty value removes the line. Values can contain further names.
 */
export function fillTemplate(template: string, values: Values): string {
  const blocks = template.replace(
    /^( *)(?:# )?__([A-Z_]+)__\n/gm,
    (line: string, indent: string, name: string) => {
      const value = values[name];
      if (value === undefined) return line;
      return fillTemplate(value === '' ? '' : `${value.trimEnd()}\n`, values).replace(/^(?=.)/gm, indent);
    },
  );
  return blocks.replace(/__([A-Z]+(?:_[A-Z]+)*)__/g, (name, key: string) => values[key] ?? name);
}

export function generatedFile(path: string, text: string): NewFile {
  const missingFrom = (existing: string) =>
    existing === text
      ? null
      : 'it differs from what this version writes. To replace it, move it away and run `roster init` again';
  return { path, at: 'repository', text, missingFrom };
}
