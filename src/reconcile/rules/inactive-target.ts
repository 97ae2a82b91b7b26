import type { Finding } from '../../model/finding.js';
import { isExpired } from '../../model/kind.js';
import { inactiveTargets } from '../starts.js';
import type { Rule, World } from '../world.js';

/** What is enabled, and starts nothing, because its target cannot be run. Nobody else says so: it looks as if it ran. */
export const inactiveTarget: Rule = {
  name: 'inactive-target',
  examine: startsNothing,
};

function startsNothing(world: World): Finding[] {
  const targetOf = inactiveTargets(world, 'after');
  return world.diffs.flatMap(({ match: { kind, entry } }) => {
    if (entry === null || kind.timetable === undefined) return [];
    if (kind.timetable.times(entry.spec) === null || isExpired(kind, entry.declared, world.basis.now))
      return [];
    const target = targetOf(kind, entry.spec);
    if (target === null) return [];
    const message = `${entry.address} starts nothing, because its target ${target} is not active`;
    const help = `Set \`active: true\` for ${target}, or pause the ${kind.name} with \`enabled: false\`.`;
    const { address, source: place } = entry;
    return [{ severity: 'warning', code: 'inactive-target', message, place, help, address }];
  });
}
