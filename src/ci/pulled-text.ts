/** What pull has printed, as a code block that no value in it can end. */
export function pulledMarkdown(printed: string, isPartial: boolean): string {
  const text = beginningOf(printed, 30_000);
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((each) => each.length + 1)));
  return `${saidOf(isPartial)}\n\n${fence}text\n${text.trimEnd()}\n${fence}\n`;
}

/** The same as HTML in one line, because a push option cannot have several. */
export function pulledHtml(printed: string, isPartial: boolean): string {
  const text = beginningOf(printed, 8000).trimEnd();
  const escaped = text.replace(/[^\w ,.:/-]/gu, (each) => `&#${each.codePointAt(0)};`);
  return `<p>${saidOf(isPartial).replace(/`([^`]*)`/, '<code>$1</code>')}</p><pre>${escaped}</pre>`;
}

function saidOf(isPartial: boolean): string {
  return isPartial
    ? '`roster pull` could not write all values into the manifests: the errors say which.'
    : '`roster pull` has written the changes into the manifests.';
}

function beginningOf(printed: string, length: number): string {
  return printed.length > length
    ? `${printed.slice(0, length)}\n… The log of the job has the rest.\n`
    : printed;
}
