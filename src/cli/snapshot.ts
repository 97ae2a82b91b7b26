import { resolve } from 'node:path';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { kinds } from '../kinds/index.js';
import { hasErrors, Problem, problem } from '../model/diagnostic.js';
import type { Address, Observed } from '../model/resource.js';
import { isSensitive } from '../reconcile/field-change.js';
import type { Reconciled } from '../reconcile/plan.js';
import { snapshotText } from '../snapshot/print.js';
import { snapshotJson } from '../snapshot/save.js';
import type { SnapshotJson } from '../snapshot/snapshot-json.js';
import { escapeJson, jsonText } from '../view/json/json-text.js';
import { snapshotSaved, snapshotSavedJson } from '../view/text/snapshot-text.js';
import { exitCode } from './exit.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import { makePlan, openSession, type Session } from './session.js';
import type { CommonFlags, Host } from './settings.js';
import { version } from './version.js';

export interface SnapshotFlags extends CommonFlags {
  readonly out?: string;
}

/** `roster snapshot`: the observed state without secrets, for those who have no key. Sends reads only. */
export function snapshot(flags: SnapshotFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const { out } = flags;
    if (out !== undefined) checkWritable(resolve(host.cwd, out));
    const session = openSession(flags, host, output);
    try {
      const { saved, diagnostics } = await take(session);
      const text = escapeJson(snapshotText(saved));
      if (out === undefined) checkIntact(text, output);
      else await writeAtomic(resolve(host.cwd, out), text);
      return {
        exit: exitCode.fine,
        diagnostics,
        began: false,
        render(format) {
          if (out === undefined) return text;
          return format === 'json'
            ? jsonText(snapshotSavedJson(saved, out, diagnostics))
            : snapshotSaved(saved, out);
        },
      };
    } finally {
      await session.client.close();
    }
  });
}

/**
 * Plans as well, to know which objects hold values from the environment. Errors that need mending end it only where
 * there are such values: an entry that has an error is paired with no object.
 */
async function take(session: Session) {
  const { project, service } = session;
  const options = { proveDeliveries: false, previews: false, everything: true };
  const takenAt = session.now();
  const { state, inventory, reconciled } = await makePlan(session, options);
  const diagnostics = [...session.warnings, ...reconciled.diagnostics];
  if (hasErrors(diagnostics) && project.secrets.length > 0) throw new Problem(diagnostics);
  const withheld = withheldFields(reconciled, sensitiveExternals(session));
  const saved = snapshotJson({
    ...state,
    project: project.name,
    environment: project.environment,
    service,
    roster: version,
    takenAt,
    kinds,
    inventory,
    withheld: (observed) => withheld.get(observed) ?? [],
  });
  checkWords(saved, project.secrets);
  return { saved, diagnostics: session.warnings };
}

function withheldFields(
  { matches, externals }: Reconciled,
  sensitiveIn: (address: Address) => readonly string[],
): ReadonlyMap<Observed, readonly string[]> {
  const fields = new Map<Observed, readonly string[]>();
  for (const match of matches) {
    const sensitive = Object.keys(match.kind.fields).filter((field) => isSensitive(match, field));
    if (match.observed !== null && sensitive.length > 0) fields.set(match.observed, sensitive);
  }
  for (const [address, observed] of externals) fields.set(observed, sensitiveIn(address));
  return fields;
}

/** Somebody else's objects are no match: their entries say a name at most. */
function sensitiveExternals({ project }: Session): (address: Address) => readonly string[] {
  const entries = new Map(project.entries.map((entry) => [entry.address, entry.sensitive]));
  return (address) => (entries.get(address)?.includes('name') ? ['name'] : []);
}

/** Shorter values stand in every address. */
const shortestPart = 4;

/** Agents and the service are saved by name, for nothing could be planned without: a name that is secret ends it here. */
function checkWords({ agents, service }: SnapshotJson, secrets: readonly string[]): void {
  const names = new Set(agents.flatMap(({ id, externalAgentId, name }) => [id, externalAgentId, name]));
  const isNamed = (secret: string) =>
    names.has(secret) || (secret.length >= shortestPart && service.includes(secret));
  if (!secrets.some(isNamed)) return;
  const message = 'an agent or the service is named by a value that comes from the environment';
  throw problem('invalid-snapshot', message, 'Write that name into the manifest, for a snapshot shows it.');
}

/** What is hidden in every output would leave gaps in this one. */
function checkIntact(text: string, output: Output): void {
  if (output.redact(text) === text) return;
  const message = 'a value from the environment stands in the snapshot by chance, and cannot be printed';
  throw problem('invalid-snapshot', message, 'Save it into a file: `roster snapshot --out FILE`.');
}
