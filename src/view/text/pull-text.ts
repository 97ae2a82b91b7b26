import type { Pulled, PulledFile } from '../../model/pull.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { diagnosticJson } from '../json/diagnostics-json.js';
import { filePatch } from '../line-diff.js';

export function pullText({ files, imported, updated, include, reasons }: Pulled): string {
  if (files.length === 0) return `${['Nothing to write.', ...reasons.map(escapeControls)].join(' ')}\n`;
  const lines = files.map(({ path, before }) => {
    const own = imported.filter(({ file }) => file === path);
    const what = own.length === 0 ? '' : ` (${count(own.length, 'entry', 'entries')})`;
    return `${before === null ? 'written' : 'changed'}  ${escapeControls(path)}${what}`;
  });
  const values = updated.map(
    ({ address, fields }) => `updated  ${escapeControls(address)}: ${fields.join(', ')}`,
  );
  const more = include === null ? [] : [`include  ${include.patterns.map(escapeControls).join(', ')}`];
  const next =
    imported.length === 0
      ? []
      : [
          '',
          'Next: review the files, then run `roster plan`. An apply adopts the objects that they declare.',
        ];
  return `${[...lines, ...values, ...more, ...next].join('\n')}\n`;
}

/** The patch that it is, which can be reviewed before anything is written. */
export function pullPatch(files: readonly PulledFile[]): string {
  return files.map(({ path, before, after }) => filePatch(path, before, after)).join('');
}

export function pullJson({ files, imported, updated, include, diagnostics }: Pulled) {
  const written = files.map(({ path, before }) => ({ path, created: before === null }));
  const problems = diagnostics.map(diagnosticJson);
  return { formatVersion: 1, files: written, imported, updated, include, diagnostics: problems };
}
