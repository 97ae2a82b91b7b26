/** What pull has printed, as a code block that no value in it can end. */
export function pulledMarkdown(printed: string, isPartial: boolean): string {
  const said = isPartial
    ? '`roster pull` could not write all values into the manifests: the errors say which.'
    : '`roster pull` has written the changes into the manifests.';
  const text =
    printed.length > 30_000 ? `${printed.slice(0, 30_000)}\n… The log of the run has the rest.\n` : printed;
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((each) => each.length + 1)));
  return `${said}\n\n${fence}text\n${text.trimEnd()}\n${fence}\n`;
}
