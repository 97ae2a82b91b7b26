import { type CiHost, generatedFile, INSTALL_NAME, type Install, PACKAGE } from './ci-facts.js';
import type { NewFile } from './project-files.js';

/** The formats of the CI files. `roster ci` refuses files of another one. */
export const CI_FORMATS = { github: 2, gitlab: 1 } as const satisfies Record<CiHost, number>;

/** Where jobs install roster. */
function installFolder(host: CiHost): string {
  return `.${host}/roster`;
}

export function ciPackageOf(host: CiHost): string {
  return `${installFolder(host)}/package.json`;
}

/** Installs roster in a job, in the root of the checkout. */
export function installCommand(host: CiHost): string {
  return `npm ci --ignore-scripts --no-audit --no-fund --prefix ${installFolder(host)}`;
}

/** Runs roster there. */
export function rosterCommand(install: Install, host: CiHost): string {
  return install.from === 'image' ? 'roster' : `${installFolder(host)}/node_modules/.bin/roster`;
}

/** A package.json and a lockfile for exactly one package, which `npm ci` installs. */
export function installFiles(install: Install, host: CiHost): readonly NewFile[] {
  const folder = installFolder(host);
  if (install.from === 'image' || install.from === 'nowhere') return [];
  const { version, integrity } = install;
  const spec = specOf(install, folder);
  const dependencies = { [PACKAGE]: spec };
  const name = INSTALL_NAME;
  const manifest = { name, private: true, roster: { ci: CI_FORMATS[host] }, dependencies };
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
