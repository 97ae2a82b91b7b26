/** Values that parsers of some YAML version read as a boolean or null. */
const reservedWords = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A string as a one-line YAML scalar, plain if every parser reads it as that string and quoted otherwise. */
export function yamlWord(text: string): string {
  const bare = /^[A-Za-z][\w./-]*$/.test(text) || text === '.';
  return bare && !reservedWords.test(text) ? text : JSON.stringify(text);
}
