/** What parsers of any version of YAML might take for something else than a text. */
const otherValues = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A text as a YAML scalar of one line: bare where every parser reads it as that text. */
export function yamlWord(text: string): string {
  const bare = /^[A-Za-z][\w./-]*$/.test(text) || text === '.';
  return bare && !otherValues.test(text) ? text : JSON.stringify(text);
}
