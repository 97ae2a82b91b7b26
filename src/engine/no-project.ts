import type { Project } from '../model/resource.js';

/** In place of a project, where there is none: it declares nothing, and nothing may be written for it. */
export function noProject(root: string): Project {
  return {
    file: '',
    root,
    name: '',
    environment: null,
    url: null,
    inventory: { file: 'roster.inventory.json' },
    prune: 'never',
    limits: { deletes: 0, startsPerMinute: 60, shortestInterval: 'none', runsPerWeek: 'none' },
    scopes: [],
    entries: [],
    secrets: [],
  };
}

export function isNoProject({ name }: Project): boolean {
  return name === '';
}
