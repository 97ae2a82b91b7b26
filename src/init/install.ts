/** What pipelines install, and the hash that it must have. */
export type Install =
  | { readonly from: 'nowhere' }
  /** `path` is relative to the root of the repository. */
  | { readonly from: 'file'; readonly path: string; readonly integrity: string }
  | { readonly from: 'url'; readonly url: string; readonly integrity: string }
  /** `spec` is a package with its exact version. */
  | { readonly from: 'npm'; readonly spec: string; readonly integrity: string }
  /** Already installed in an image, which is named by its digest. */
  | { readonly from: 'image'; readonly image: string };

/**
 * `checkout` is the root of the repository, as the shell names it. Returns a shell script that installs roster if it has the expected hash, and fails otherwise. The hash and the source are part
 * of the script, because variables of a pipeline can be set by whoever starts it.
 */
export function installScript(install: Exclude<Install, { from: 'image' }>, checkout: string): string {
  if (install.from === 'nowhere') return nothingToInstall;
  return `${fetchScript(install, checkout)}
integrity="sha512-$(openssl dgst -sha512 -binary "$tarball" | base64 -w 0)"
if [ "$integrity" != '${install.integrity}' ]; then
  echo "Nothing was installed: $tarball has the integrity $integrity, which is not the expected one." >&2
  exit 1
fi
npm install --global --ignore-scripts --offline --no-audit --no-fund "$tarball"`;
}

function fetchScript(install: Exclude<Install, { from: 'image' | 'nowhere' }>, checkout: string): string {
  switch (install.from) {
    case 'file':
      return `tarball="${checkout}/${install.path}"`;
    case 'url':
      return `tarball="$(mktemp -d)/roster.tgz"
curl --fail --silent --show-error --location --proto =https --output "$tarball" '${install.url}'`;
    case 'npm':
      return `folder="$(mktemp -d)"
tarball="$folder/${install.spec.replace('@', '-')}.tgz"
npm pack --ignore-scripts --silent --pack-destination "$folder" ${install.spec}`;
    default:
      return install satisfies never;
  }
}

const nothingToInstall = `echo 'Nothing was installed: these files name no version of roster and no hash to check it with.' >&2
echo 'Remove them and run "roster init --install SOURCE". See "roster init --help" for the sources.' >&2
exit 1`;
