import type { Diagnostic } from '../../model/diagnostic.js';
import type { Declared, EntryProblem } from '../../model/resource.js';

/**
 * A problem of one entry with its place. Its texts may show the value at `path`. If that value came from the
 * environment, which is never shown, they are replaced.
 */
export function entryDiagnostic(
  entry: Declared,
  { severity, code, path, message, help, at }: EntryProblem,
): Diagnostic {
  const place = entry.placeOf(path, at);
  const about = { place, address: entry.address };
  const [field = ''] = path;
  // A name of an input never comes from there.
  if (at !== 'key' && Object.hasOwn(entry.templates, field)) {
    const general = `the value of \`${field}\`, which comes from the environment, is not valid here`;
    return { severity, code, message: general, ...about };
  }
  return { severity, code, message, ...about, ...(help === undefined ? {} : { help }) };
}
