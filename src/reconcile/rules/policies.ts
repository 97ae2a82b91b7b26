import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { type Finding, refusal, risk } from '../../model/finding.js';
import type { PlannedPolicies } from '../../model/plan.js';
import {
  type BrokenPolicy,
  breachDiagnostics,
  breachesInBrief,
  type ChangedPolicy,
  changedPolicies,
  inPolicyOrder,
  type PolicyChange,
  type PolicyCheck,
  policyLabel,
} from '../../model/policy.js';
import type { Comparison, Rule, World } from '../world.js';

/** What entries must look like, and what has become of the policies of the last apply. */
export const policies: Rule = {
  name: 'policies',
  stops: unknownPolicies,
  examine(world) {
    const check = world.basis.policies;
    if (check === null) return [];
    return [
      ...weaker(world, check).map(weakened),
      ...check.warnings,
      ...check.broken.flatMap((each) => broken(each, world)),
    ];
  },
};

/** For the plan and its digest; null where there is nothing to say. */
export function plannedPolicies({ basis }: Comparison): PlannedPolicies | null {
  const { policies: check, inventory } = basis;
  if (check === null) return null;
  const changed = changedPolicies(inventory.policies ?? [], check);
  if (check.checked.length + changed.length === 0) return null;
  return { checked: inPolicyOrder(check.checked), changed };
}

/** An inventory file may have been edited: what it no longer says is in the commit before. */
function weaker({ basis: { inventory, committed } }: World, check: PolicyCheck): readonly ChangedPolicy[] {
  const former = [inventory.policies ?? [], committed?.before?.policies ?? []];
  const all = former.flatMap((records) => changedPolicies(records, check));
  return [...new Map(all.map((each) => [`${each.name} ${each.change}`, each])).values()];
}

const consequences: Readonly<Record<PolicyChange, string>> = {
  removed: 'was removed since the last apply',
  elsewhere: 'no longer applies in this environment',
  weaker: 'was weakened since the last apply: it is now only a warning, or comes from the project itself',
  changed: 'has changed since the last apply: what it matches, where it applies, or what it requires',
};

function weakened({ name, change, outside }: ChangedPolicy): Finding {
  const whose = outside === true ? 'the policy from outside the project' : 'the policy';
  return risk(null, { code: 'policy', message: `${whose} \`${name}\` ${consequences[change]}` });
}

/** The flag would allow nothing, and nobody would know. */
function unknownPolicies({ basis: { allow, policies: check } }: Comparison): Diagnostic[] {
  if (check === null) return [];
  const names = check.declared.map(({ name }) => name);
  const unknown = allow.policies.filter((name) => !names.includes(name));
  return unknown.map((name) => {
    const message = `--allow-policy: there is no policy "${name}"`;
    const known = names.slice(0, 10).map((each) => `\`${each}\``);
    const help = known.length === 0 ? 'No policies are declared.' : `Policies: ${known.join(', ')}.`;
    return { severity: 'error', code: 'usage', message, help };
  });
}

function broken(whole: BrokenPolicy, world: World): Finding[] {
  const found = selected(whole, world);
  if (found === null) return [];
  const { policy } = found;
  const isAllowed = !policy.isOutside && world.basis.allow.policies.includes(policy.name);
  if (policy.level === 'error' && !isAllowed) return [refusalOf(found)];
  return [...breachDiagnostics(found, 'warning')];
}

/** What is not selected is not applied. Null when nothing is left. */
function selected(whole: BrokenPolicy, { basis, diffs }: World): BrokenPolicy | null {
  if (basis.selected === null) return whole;
  const planned = new Set(diffs.map(({ change }) => change.address));
  const addresses = whole.addresses.filter((address) => planned.has(address));
  const breaches = whole.breaches.filter(({ address }) => planned.has(address));
  return addresses.length === 0 ? null : { ...whole, addresses, breaches };
}

/** One for a policy, however many entries break it. */
function refusalOf(found: BrokenPolicy): Finding {
  const { policy, breaches, addresses } = found;
  const [first] = breaches;
  const help = policy.isOutside
    ? `This is required by ${policyLabel(policy)}. No flag can override it.`
    : `This is required by ${policyLabel(policy)}. To let it pass, use \`--allow-policy ${policy.name}\`.`;
  const address = addresses.length === 1 ? (addresses[0] ?? null) : null;
  const refused = {
    ...refusal('policy', address, breachesInBrief(found), help),
    addresses,
    policy: policy.name,
  };
  if (first === undefined) return refused;
  return { ...refused, place: addresses.length === 1 ? first.place : withoutItem(first.place) };
}

/** The message names the entries: its place is not about one item of `each`. */
function withoutItem({ each: _, ...place }: Place): Place {
  return place;
}
