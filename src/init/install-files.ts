import { generatedFile, INSTALL_NAME, type Install, PACKAGE } from './ci-facts.js';
import type { NewFile } from './project-files.js';

/** The format of the CI files. `roster ci` refuses files of another one. */
export const CI_FORMAT = 1;
export const CI_PACKAGE = '.github/roster/package.json';

/** The folder with a package.json and a lockfile for exactly one package, which `npm ci` installs. */
export function installFiles(install: Install, folder: string): readonly NewFile[] {
  if (install.from === 'image' || install.from === 'nowhere') return [];
  const { version, integrity } = install;
  const spec = specOf(install, folder);
  const dependencies = { [PACKAGE]: spec };
  const name = INSTALL_NAME;
  const manifest = { name, private: true, roster: { ci: CI_FORMAT }, dependencies };
  const lock = {
    name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, dependencies },
      [`node_modules/${PACKAGE}`]: {
        version,
        resolved: install.from === 'npm' ? install.resolved : spec,
        integrity,
        bin: { roster: 'dist/roster.cjs' },
      },
    },
  };
  return [
    generatedFile(`${folder}/package.json`, jsonOf(manifest)),
    generatedFile(`${folder}/package-lock.json`, jsonOf(lock)),
  ];
}

function specOf(install: Exclude<Install, { from: 'image' | 'nowhere' }>, folder: string): string {
  switch (install.from) {
    case 'file':
      return `file:${'../'.repeat(folder.split('/').length)}${install.path}`;
    case 'url':
      return install.url;
    case 'npm':
      return install.version;
    default:
      return install satisfies never;
  }
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
