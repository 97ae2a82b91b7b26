/** The repository of package.json for a browser, such as `https://github.com/owner/name`, or null if it names none. */
export function repositoryOf(manifest: {
  readonly name: string;
  readonly repository?: { readonly url: string };
}): string | null {
  return manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '') ?? null;
}
