import type { Change } from '../model/plan.js';
import type { Prune } from '../model/resource.js';
import type { Risk } from '../model/risk.js';
import type { Match } from './match.js';
import { liftsProtection } from './protection.js';

type ChangeFacts = Pick<Change, 'action' | 'adopted' | 'fields'>;

interface RiskContext {
  readonly prune: Prune;
  readonly destroy?: boolean | undefined;
  readonly now: Date;
}

/** Why a change is risky: that of its action, and those that its kind knows. */
export function risksOf(
  match: Match,
  change: ChangeFacts,
  { prune, destroy = false, now }: RiskContext,
): readonly Risk[] {
  return [
    ...(destroy ? destruction(match, change) : deletion(match, change, prune)),
    ...(liftsProtection(match) || forgetsProtection(match, change) ? [notProtected] : []),
    ...(isForeign(match, change) ? [foreign] : []),
    ...renaming(match, change),
    ...kindRisks(match, change, now),
  ];
}

const notProtected: Risk = { code: 'protection', message: 'is no longer protected from deletion' };
const foreign: Risk = { code: 'adopt', message: 'was created outside this project' };
/** The field shows both names. */
const renamedByInventory: Risk = {
  code: 'adopt',
  message: 'its name changes, and only the inventory links this object to the entry',
};

/** Only the inventory says that it is the object of this entry, and a pull request may write an inventory. */
function renaming({ rule }: Match, { action, fields }: ChangeFacts): Risk[] {
  const name = fields.find(({ path }) => path === 'name');
  if (rule !== 'inventory' || action !== 'update' || name === undefined || name.sensitive) return [];
  return [renamedByInventory];
}

/** Nothing but the inventory knows that it is protected. */
function forgetsProtection({ observed, wasProtected }: Match, { action }: ChangeFacts): boolean {
  return action === 'forget' && observed !== null && wasProtected;
}

function isForeign({ renamedFrom }: Match, { action, adopted }: ChangeFacts): boolean {
  return adopted && renamedFrom === null && ['update', 'replace'].includes(action);
}

function destruction(match: Match, { action }: ChangeFacts): Risk[] {
  if (action !== 'delete') return [];
  return ['the plan is to destroy it', ...otherName(match)].map((message) => ({ code: 'delete', message }));
}

function deletion(match: Match, { action }: ChangeFacts, prune: Prune): Risk[] {
  if (action !== 'delete') return [];
  const why = match.ours ? 'it is no longer declared' : `it is not declared, and prune is ${prune}`;
  return [why, ...otherName(match)].map((message) => ({ code: 'delete', message }));
}

/** Someone renamed it, or changed the inventory. */
function otherName({ known, observed }: Match): string[] {
  if (known?.name == null || observed?.name == null || known.name === observed.name) return [];
  return [`its name was "${known.name}" at the last apply`];
}

function kindRisks(match: Match, { action }: ChangeFacts, now: Date): readonly Risk[] {
  const { kind, observed, entry } = match;
  if (!['create', 'update', 'replace', 'delete'].includes(action)) return [];
  const after = action === 'delete' ? null : (entry?.spec ?? null);
  return kind.risks?.({ observed, after, now }) ?? [];
}
