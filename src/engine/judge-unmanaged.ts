import { kinds } from '../kinds/index.js';
import type { Diagnostic, Place } from '../model/diagnostic.js';
import type { Kind } from '../model/kind.js';
import { appliesIn, breachDiagnostics, countedAt } from '../model/policy.js';
import { count } from '../model/words.js';
import { PolicyJudge } from '../policy/judge.js';
import { candidates, type ImportEntry } from '../pull/import-entries.js';
import type { Observation } from './observe.js';
import { objectsOf, wordingOf } from './pull/pull.js';
import type { ReadSession } from './session.js';

/**
 * What policies say of objects that nothing declares: they are judged as the entries that `roster pull` would write for
 * them. Throws a Problem for errors in the policies.
 */
export async function judgeUnmanaged(
  session: ReadSession,
  observation: Observation,
  shown: readonly Kind[],
): Promise<readonly Diagnostic[]> {
  const { project } = session;
  const { declared } = await session.checkPolicies();
  const policies = declared.filter((each) => appliesIn(each, project.environment));
  const taken = new Set(project.entries.map(({ address }) => address));
  const { entries, leftOut } = candidates(kinds, objectsOf(observation), taken, {
    agentText: (id) => wordingOf(observation).names.agent(id),
    defaults: {},
    environmentsOf: () => null,
  });
  const judged = [...entries.values()].filter(({ kind, external }) => shown.includes(kind) && !external);
  const found = new PolicyJudge().judge(policies, judged.map(entryOf), project.environment);
  const broken = found.broken.flatMap((each) => {
    const { counting, excepted } = countedAt(each, session.serviceNow());
    const breaches = counting === null ? [] : breachDiagnostics(counting, 'warning');
    return [...excepted, ...breaches.map((said) => aboutObject(said, entries))];
  });
  const left = leftOut.filter(({ address }) => shown.some(({ name }) => address.startsWith(`${name}/`)));
  return [...found.diagnostics, ...broken, ...notJudged(left.length)];
}

/** Nothing declares them. */
const nowhere: Place = { file: '', line: 0, column: 0, length: 0, lineText: '' };

function entryOf({ address, properties }: ImportEntry) {
  return { address, properties, placeOf: () => nowhere };
}

/** `group "Shops" (5c4ed…)`: an object without an entry has no place, and its address is only a proposal. */
function aboutObject(
  { place: _, address = '', ...said }: Diagnostic,
  entries: ReadonlyMap<string, ImportEntry>,
): Diagnostic {
  const entry = entries.get(address);
  if (entry === undefined) return said;
  const { kind, id, name } = entry;
  const named = `${kind.name} ${JSON.stringify(name)}${id === null ? '' : ` (${id})`}`;
  return { ...said, message: `${named}: ${said.message}` };
}

function notJudged(many: number): Diagnostic[] {
  if (many === 0) return [];
  const message = `${count(many, 'object')} could not be judged, because no manifest can declare them`;
  const help = '`roster pull --format diff` says why.';
  return [{ severity: 'warning', code: 'not-importable', message, help }];
}
