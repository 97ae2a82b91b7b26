import { kinds } from '../kinds/index.js';
import { readOutline } from '../manifest/outline.js';
import { environmentOf, fileOf, type ProjectOptions } from './project.js';

/** The names in a project, for completion. */
export interface ProjectNames {
  readonly addresses: readonly string[];
  /** The addresses of the agents that it refers to. */
  readonly agents: readonly string[];
  readonly environments: readonly string[];
  readonly variables: readonly string[];
}

/** Reads only the manifests, as far as they can be read: never the inventory, a key or the service. */
export function projectNames(options: Pick<ProjectOptions, 'file' | 'env' | 'cwd'>): ProjectNames {
  const { entries, environments, variables, agents } = readOutline(fileOf(options), options.cwd);
  const kindOf = new Map(kinds.map(({ section, name }) => [section, name]));
  const addresses = entries.map(({ section, key }) => `${kindOf.get(section)}/${key}`);
  return { environments, variables, addresses, agents: agents.map((name) => `agent/${name}`).sort() };
}

/** What a run that failed was about, as far as the manifests can be read. */
export function readable(options: ProjectOptions): {
  readonly project: string | null;
  readonly environment: string | null;
} {
  return { project: readOutline(fileOf(options), options.cwd).project, environment: environmentOf(options) };
}
