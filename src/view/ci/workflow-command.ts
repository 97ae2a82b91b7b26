/** A line that the runner of GitHub Actions takes for a command, such as `::error title=…::…`. */
export function workflowCommand(
  name: string,
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const list = Object.entries(properties).map(([each, value]) => `${each}=${escapeProperty(String(value))}`);
  return `::${name} ${list.join(',')}::${escapeData(message)}`;
}

// The runner's own escapes. In properties, commas and colons are separators.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
