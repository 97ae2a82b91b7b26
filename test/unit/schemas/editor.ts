import { parseDocument } from 'yaml';

/** The value of a file as an editor hands it to a schema; null for what is not one document of YAML. */
export function valueInEditor(text: string): { readonly value: unknown } | null {
  const document = parseDocument(text, { version: '1.2', merge: true, uniqueKeys: false });
  if (document.errors.length > 0) return null;
  try {
    return { value: document.toJS({ maxAliasCount: -1 }) as unknown };
  } catch (error) {
    // An alias without its anchor.
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}
