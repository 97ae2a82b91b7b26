/** The sections of manifests, as `index.ts` lists the kinds: for those who must not load them all. A test holds them equal. */
export const sectionNames: readonly string[] = ['groups', 'pipelines', 'schedules', 'keys'];
