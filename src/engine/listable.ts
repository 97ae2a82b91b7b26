import { sectionNames } from '../kinds/sections.js';

/** The section of agents, which are not a kind: roster never changes them. */
export const AGENTS = 'agents';

/** What `roster list` lists: agents, and the sections of manifests. */
export const listable: readonly string[] = [AGENTS, ...sectionNames];

/** `groups` for `groups` and `group`; null for anything else. */
export function listableKind(name: string): string | null {
  return listable.find((each) => each === name || each === `${name}s`) ?? null;
}
