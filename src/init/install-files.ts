import { type CiHost, generatedFile, INSTALL_NAME, type Install, PACKAGE } from './ci-facts.js';
import type { NewFile } from './project-files.js';

/** The formats of the CI files. `roster ci` refuses files of another one. */
export const CI_FORMATS = { github: 2, gitlab: 1 } as const satisfies Record<CiHost, number>;

function installFolder(host: CiHost): string {
  return `.${host}/roster`;
}

export function ciPackageOf(host: CiHost): string {
  return `${installFolder(host)}/package.json`;
}

/**
 * Installs roster in a job, in the root of the checkout. npm looks for a `.npmrc` only in the folder of the package, so the
 * one of the repository is linked there, unless the folder has its own. A link to nothing is no `.npmrc`.
 */
export function installCommand(host: CiHost): string {
  const folder = installFolder(host);
  const link = `ln -s ${fromRoot(folder)}.npmrc ${folder}/ || true`;
  return `${link}; npm ci --ignore-scripts --no-audit --no-fund --prefix ${folder}`;
}

/** The path from a folder to the root of the repository. */
function fromRoot(folder: string): string {
  return '../'.repeat(folder.split('/').length);
}

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
  // Without an address of the registry, npm asks the one that it is configured for, such as a mirror.
  const resolved = install.from === 'npm' ? {} : { resolved: spec };
  const lock = {
    name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, dependencies },
      [`node_modules/${PACKAGE}`]: {
        version,
        ...resolved,
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
      return `file:${fromRoot(folder)}${install.path}`;
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
