import { groupBy } from '../../model/group-by.js';
import { referencesOf } from '../../model/kind.js';
import type { Change } from '../../model/plan.js';
import { isPending, objectKey } from '../../model/resource.js';
import type { Risk } from '../../model/risk.js';
import type { Match } from '../match.js';
import { listed } from './listed.js';
import { mayStart } from './unmanaged.js';

/** The risk of deleting what an unmanaged object refers to, if the plan does not change that object. */
export function brokenReferences(
  unmanaged: readonly Match[],
  now: Date,
): (change: Pick<Change, 'action' | 'kind' | 'id'>) => readonly Risk[] {
  const references = unmanaged.flatMap((match) =>
    referencesOf(match.kind, match.observed?.spec).flatMap(({ kind, id }) =>
      isPending(id) ? [] : [{ match, to: objectKey(kind, id) }],
    ),
  );
  const byObject = groupBy(references, ({ to }) => to);
  return ({ action, kind, id }) => {
    const found = action === 'delete' ? (byObject.get(objectKey(kind, id)) ?? []) : [];
    const broken = found.map(({ match }) => match).filter(mayStart(now));
    if (broken.length === 0) return [];
    return [{ code: 'breaks-unmanaged', message: `breaks ${subjectOf(broken)}: ${listed(broken)}` }];
  };
}

function subjectOf(broken: readonly Match[]): string {
  const { name, section } = broken[0]?.kind ?? { name: '', section: '' };
  return broken.length === 1
    ? `a ${name} that is not managed here`
    : `${broken.length} ${section} that are not managed here`;
}
