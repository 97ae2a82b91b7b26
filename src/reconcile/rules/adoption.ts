import { risk } from '../../model/finding.js';
import type { ResourceDiff, Rule } from '../world.js';

/** Changes of objects that this project did not create, or that only the inventory links to their entries. */
export const adoption: Rule = {
  name: 'adoption',
  examine: ({ diffs }) =>
    diffs.flatMap((each) => {
      const { address } = each.change;
      return [
        ...(isForeign(each) ? [risk(address, { code: 'adopt', message: FOREIGN })] : []),
        ...(isRenamedByInventory(each) ? [risk(address, { code: 'adopt', message: RENAMED })] : []),
      ];
    }),
};

const FOREIGN = 'was created outside this project';
/** The field shows both names. */
const RENAMED = 'its name changes, so only the inventory shows that this is the same object';

function isForeign({ change: { action, adopted }, match: { renamedFrom, kept } }: ResourceDiff): boolean {
  return adopted && renamedFrom === null && kept === undefined && ['update', 'replace'].includes(action);
}

/** Only the inventory says that it is the object of this entry, and a pull request may write an inventory. */
function isRenamedByInventory({ change: { action, fields }, match: { rule } }: ResourceDiff): boolean {
  const name = fields.find(({ path }) => path === 'name');
  return rule === 'inventory' && action === 'update' && name !== undefined && !name.sensitive;
}
