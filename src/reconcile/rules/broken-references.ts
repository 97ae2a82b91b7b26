import { type Finding, risk } from '../../model/finding.js';
import { groupBy } from '../../model/json.js';
import { referencesOf } from '../../model/kind.js';
import { isPending, objectKey } from '../../model/resource.js';
import { foreignObjects, listed, mayStart } from '../unmanaged.js';
import type { Match, Rule } from '../world.js';

/** Deletes of what an object that is not managed here refers to, if the plan does not change that object. */
export const brokenReferences: Rule = {
  name: 'broken-references',
  examine(world) {
    const references = foreignObjects(world).flatMap((match) =>
      referencesOf(match.kind, match.observed?.spec).flatMap(({ kind, id }) =>
        isPending(id) ? [] : [{ match, to: objectKey(kind, id) }],
      ),
    );
    const byObject = groupBy(references, ({ to }) => to);
    return world.diffs.flatMap(({ change: { action, kind, id, address } }): Finding[] => {
      const found = action === 'delete' ? (byObject.get(objectKey(kind, id)) ?? []) : [];
      const broken = found.map(({ match }) => match).filter(mayStart(world.basis.now));
      if (broken.length === 0) return [];
      const message = `breaks ${subjectOf(broken)}: ${listed(broken)}`;
      return [risk(address, { code: 'breaks-unmanaged', message })];
    });
  },
};

function subjectOf(broken: readonly Match[]): string {
  const { name, section } = broken[0]?.kind ?? { name: '', section: '' };
  return broken.length === 1
    ? `a ${name} that is not managed here`
    : `${broken.length} ${section} that are not managed here`;
}
