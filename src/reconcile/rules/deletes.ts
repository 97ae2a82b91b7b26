import { type Finding, note, refusal, risk } from '../../model/finding.js';
import { staysForOthers } from '../diff.js';
import type { Match, ResourceDiff, Rule, World } from '../world.js';

/** What a plan deletes, or leaves although nothing declares it. */
export const deletes: Rule = {
  name: 'deletes',
  examine: (world) => [
    ...emptyProject(world),
    ...tooManyDeletes(world),
    ...world.diffs.flatMap(deletion),
    ...world.diffs.flatMap((each) => leftAlone(each, world)),
  ],
};

function emptyProject({ basis: { project } }: World): Finding[] {
  if (project.entries.length > 0) return [];
  const { elsewhere = [] } = project;
  const message =
    elsewhere.length === 0
      ? 'nothing is declared yet: `roster pull` writes entries for what exists'
      : `the project declares no resources in this environment: \`environments:\` leaves out all ${elsewhere.length}`;
  const help = 'If the project should be empty, use `--allow-empty`.';
  return [refusal('empty-project', null, message, help, 'empty')];
}

function tooManyDeletes({ basis: { project, allow }, diffs }: World): Finding[] {
  const deleted = diffs.filter(({ change }) => change.action === 'delete');
  const count = deleted.length;
  const limit = allow.deletes ?? project.limits.deletes;
  if (count <= limit) return [];
  const message = `the plan deletes ${count} ${count === 1 ? 'object' : 'objects'}, more than the limit of ${limit}`;
  const help = `Review the deletes. If all of them are intended, use \`--allow-deletes ${count}\`.`;
  const addresses = deleted.map(({ change }) => change.address);
  return [{ ...refusal('too-many-deletes', null, message, help), addresses }];
}

function deletion({ match, change: { action, address } }: ResourceDiff): Finding[] {
  if (action !== 'delete') return [];
  return otherName(match).map((message) => risk(address, { code: 'delete', message }));
}

/** Why a plan deletes an object. What follows from it is a risk. */
export function deleteReason({ ours }: Match, prune: World['basis']['prune']): string {
  if (prune === 'destroy') return '`roster destroy` deletes it';
  return ours ? 'no longer declared' : `not declared, and prune is ${prune}`;
}

/** Someone renamed it, or changed the inventory. */
function otherName({ known, observed }: Match): string[] {
  if (known?.name == null || observed?.name == null || known.name === observed.name) return [];
  return [`its name was "${known.name}" at the last apply`];
}

function leftAlone({ match, change }: ResourceDiff, { basis }: World): Finding[] {
  const { entry, observed, known, address } = match;
  // What has become the operator's cannot be managed, whatever the project says.
  const isOperators = observed?.manageable === false && observed.id !== null;
  if (change.action === 'forget' && observed !== null && !isOperators && match.elsewhere?.claim !== 'managed')
    return [note(address, 'stays on the service, and is no longer managed here')];
  if (entry !== null || observed === null || change.action !== 'none') return [];
  // An entry that cannot be read may declare it.
  if (basis.project.unread !== undefined || staysForOthers(match, basis)) return [];
  if (basis.prune === 'all') {
    const message = `${address} is listed under \`removed\` and stays on the service and in the inventory, because \`prune: all\` deletes what is in neither the manifests nor the inventory`;
    const help = 'To remove it from the inventory, use `--prune owned`.';
    return [{ severity: 'warning', code: 'left-alone', message, help, address }];
  }
  const name = observed.name ?? known?.name ?? null;
  const subject = name === null ? address : `${address} "${name}"`;
  const message = `${subject} is no longer declared and stays on the service (prune: never)`;
  const help = 'To delete it, use `--prune owned`. To keep managing it, declare it again.';
  return [{ severity: 'warning', code: 'left-alone', message, help, address }];
}
