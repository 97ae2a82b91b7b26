import { readOutline } from '../../manifest/outline.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { groupBy } from '../../model/group-by.js';
import { canonical, type Json } from '../../model/json.js';
import type { Address } from '../../model/resource.js';
import { environmentOf, type ProjectOptions, readProjectWith } from '../project.js';
import type { CheckContext } from './check.js';
import { noOverlay, OverlayReading } from './overlay.js';

/** Warnings about new values that other environments read, too. */
export function sharedValues(
  updated: readonly Address[],
  changed: ReadonlyMap<string, string>,
  context: CheckContext,
): readonly Diagnostic[] {
  if (updated.length === 0) return [];
  const { options, session } = context;
  const { environments } = readOutline(options.file, options.cwd);
  const others = environments.filter((each) => each !== environmentOf(options));
  const changes = others.map((environment) => {
    const own = { ...options, environment };
    const [before, after] = [new Map<string, string>(), changed].map((texts) =>
      meanings(texts, session.project.file, own),
    );
    return { environment, differs: (address: Address) => before?.get(address) !== after?.get(address) };
  });
  const namesOf = (address: Address) =>
    changes.flatMap(({ environment, differs }) => (differs(address) ? [environment] : [])).join(', ');
  const places = new Map(session.project.entries.map(({ address, source }) => [address, source]));
  return [...groupBy(updated, namesOf)].flatMap(([names, addresses]) =>
    names === '' ? [] : [sharedEntry(addresses, names, places.get(addresses[0] ?? ''))],
  );
}

/** What an environment declares; nothing when its manifests cannot be read. */
function meanings(
  changed: ReadonlyMap<string, string>,
  file: string,
  options: ProjectOptions,
): ReadonlyMap<Address, string> {
  const reading = new OverlayReading({ ...noOverlay, changed }, file);
  const { project } = readProjectWith(reading, { ...options, outputs: [], allowMissingEnv: true });
  return new Map(project?.entries.map(({ address, declared }) => [address, canonical(declared as Json)]));
}

function sharedEntry(addresses: readonly Address[], names: string, place?: Diagnostic['place']): Diagnostic {
  const [first, ...others] = addresses;
  const what = others.length === 0 ? first : `${first} and ${others.length} more`;
  const where = names.includes(',') ? `environments ${names}` : `environment ${names}`;
  const message = `the new values of ${what} also apply to the ${where}`;
  const help = 'To change one environment only, write a variable in place of the value.';
  return {
    severity: 'warning',
    code: 'shared-entry',
    message,
    ...(place === undefined ? {} : { place }),
    help,
  };
}
