import { kinds } from '../../kinds/index.js';
import { type Diagnostic, hasErrors, Problem, problem } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import { exists } from '../../model/kind.js';
import { merged } from '../../model/merged-diagnostics.js';
import type { Pulled } from '../../model/pull.js';
import {
  type Address,
  type Declared,
  type KindName,
  type Observed,
  objectKey,
  type Project,
  type SectionDefault,
} from '../../model/resource.js';
import { agree, some, wordList } from '../../model/words.js';
import {
  candidates,
  type ImportEntry,
  type LeftOut,
  manifestText,
  type PullObject,
  withNeeds,
} from '../../pull/import-entries.js';
import type { Differing, Wording } from '../../pull/write-back.js';
import { yamlValue } from '../../pull/yaml-value.js';
import { agentLookup } from '../../reconcile/references.js';
import { isOwnedElsewhere, type Selector } from '../../reconcile/world.js';
import { findApiKeys } from '../../redact/redactor.js';
import { pairLines } from '../../yaml/editable.js';
import {
  asWarning,
  goneEntries,
  judgedMatches,
  type Observation,
  observe,
  requireAccount,
} from '../observe.js';
import { type ProjectOptions, readProject } from '../project.js';
import { nameGlob, selectedOf, selectorsOf } from '../selectors.js';
import type { ReadSession } from '../session.js';
import { type CheckContext, check, noOverlay, type Overlay } from './check.js';
import { OtherEnvironments } from './environments.js';
import { type Extension, extended, findShared, type SharedObject } from './extend.js';
import { FileMaker, type NewFilesOptions } from './files.js';
import { type WrittenBack, writeBack } from './write-back.js';

export interface PullOptions extends NewFilesOptions {
  /** Addresses and globs. Default: everything that is not declared. */
  readonly addresses?: readonly string[];
  /** Only objects with such a name are imported: a glob. */
  readonly match?: string | undefined;
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * Manifests for what exists and is not declared, and the remote values for what is. Sends reads only, and writes nothing:
 * `writePulled` does.
 * @throws Problem when the manifests or the service do not allow a plan.
 */
export async function pull(
  session: ReadSession,
  options: ProjectOptions,
  wanted: PullOptions = {},
): Promise<Pulled> {
  refuseFlagsWithoutEffect(session.project, wanted);
  const allow = { accountChange: wanted.allowAccountChange === true };
  const observation = await observe(session, { everything: true, allow });
  requireAccount(observation);
  const selectors = selectorsOf(wanted.addresses ?? []);
  const isMeant = (address: Address) => selectors?.some((each) => each.matches(address)) ?? true;
  const judged = judgedMatches(session, observation, isMeant);
  if (hasErrors(judged)) throw new Problem(judged);
  return new Puller(wanted, { session, options, observation }).pull();
}

class Puller {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly wording: Wording;
  private readonly texts: ReadonlyMap<string, string>;
  private readonly others: OtherEnvironments;

  constructor(
    private readonly wanted: PullOptions,
    private readonly context: CheckContext,
  ) {
    this.wording = wordingOf(context.observation);
    this.others = new OtherEnvironments(context.options, context.session.project.file);
    this.texts = new Map(
      readProject({ ...context.options, outputs: [] }).files.map(({ file, text }) => [file, text]),
    );
  }

  pull(): Pulled {
    const { addresses = [] } = this.wanted;
    const objects = objectsOf(this.context.observation);
    const shared = this.shared(objects);
    const found = this.candidates(withShared(objects, shared));
    const selectors = selectorsOf(addresses);
    const { entries: declared, root, file, existsIn } = this.context.session.project;
    const owned = ownedWithoutEntry(this.context.observation);
    const known = [
      ...owned,
      ...declared.map(({ address }) => address),
      ...[...shared.shared, ...shared.fixed].map(({ entry }) => entry.address),
      ...found.entries.keys(),
      ...found.leftOut.map((each) => each.address),
    ];
    const isSelected = selectedOf(selectors, { addresses: known, existsIn });
    const written = this.writeBack(selectors === null ? () => false : isSelected, selectors);
    const chosen = this.chosen(found, isSelected);
    const extension = this.extend(shared, chosen, written.changed, isSelected);
    const made = importable(chosen, this.context, this.others, extension.changed);
    this.diagnostics.push(...this.existsEverywhere(made.entries));
    const left = [...found.leftOut, ...shared.fixed.map(notExtended)];
    for (const each of [...left.filter(({ address }) => isSelected(address)), ...made.leftOut])
      this.diagnostics.push(notImportable(each));
    const { files, include, overlay } = new FileMaker(this.wanted, this.context, this.texts).files(
      made.entries,
      extension.changed,
    );
    requireOthersUnchanged(overlay, this.context, this.others);
    const updated = [
      ...written.updated,
      ...extension.addresses.map((each) => [each, ['environments']] as const),
    ];
    return {
      root,
      files,
      imported: files.flatMap(({ path, entries }) =>
        entries.map(({ address, external }) => ({ address, external, file: path })),
      ),
      updated: updated.map(([address, fields]) => ({ address, fields })),
      include: include.length === 0 ? null : { file, patterns: include },
      reasons: reasonsForNothing(this.context.observation, { isSelected, match: this.wanted.match, owned }),
      diagnostics: merged(this.diagnostics),
    };
  }

  private shared(objects: Objects): Extension {
    const unmanaged = [...objects.values()]
      .flat()
      .filter(({ declared, owned }) => declared === null && !owned);
    return findShared(
      this.context,
      this.others,
      this.texts,
      new Set(unmanaged.map(({ observed }) => observed)),
    );
  }

  private candidates(objects: Objects) {
    const { session, observation } = this.context;
    const { inventory } = observation;
    const { entries, elsewhere = [], removed = [], defaults = {} } = session.project;
    const declared = [...entries.map(({ address }) => address), ...elsewhere, ...removed];
    const known = [...inventory.entries.keys(), ...inventory.drafts.keys(), ...this.others.addresses()];
    const agentText = (id: string) => this.wording.names.agent(id);
    const environmentsOf = (section: string) => this.environmentsFor(defaults[section]);
    return candidates(kinds, objects, new Set([...declared, ...known]), {
      agentText,
      defaults,
      environmentsOf,
    });
  }

  /** A new entry exists in the selected environment only, whatever `defaults` say. */
  private environmentsFor(defaults: SectionDefault | undefined): readonly string[] | null {
    const { environment } = this.context.session.project;
    const isNeeded = this.others.names.length > 0 || defaults?.['environments'] !== undefined;
    return environment !== null && isNeeded ? [environment] : null;
  }

  /** Without a selected environment, a new entry belongs to all of them. */
  private existsEverywhere(entries: readonly ImportEntry[]): readonly Diagnostic[] {
    const { environment } = this.context.session.project;
    const [first] = entries;
    if (environment !== null || this.others.names.length === 0 || first === undefined) return [];
    const what = entries.length === 1 ? `${first.address} also exists` : 'the new entries also exist';
    const where = wordList(this.others.names, 'and');
    const message = `${what} in the ${agree(this.others.names.length, 'environment', 'environments')} ${where}, where the next apply creates what is missing`;
    const help = 'Select an environment with `-e`: new entries then exist in that one only.';
    return [{ severity: 'warning', code: 'shared-entry', message, help }];
  }

  /** The files in which the chosen entries of other environments, and what is needed of them, exist here, too. */
  private extend(
    { shared }: Extension,
    chosen: readonly ImportEntry[],
    texts: ReadonlyMap<string, string>,
    isSelected: (address: Address) => boolean,
  ): { readonly changed: ReadonlyMap<string, string>; readonly addresses: readonly Address[] } {
    const matches = this.wanted.match === undefined ? () => true : nameGlob(this.wanted.match);
    const byAddress = new Map(shared.map((each) => [each.address, each]));
    const isChosen = ({ address, observed, entry }: SharedObject) =>
      isSelected(address) && matches(observed.name ?? entry.key);
    const needed = new Set([
      ...shared.filter(isChosen).map(({ address }) => address),
      ...chosen.flatMap(({ needs }) => needs),
    ]);
    // What is referred to is added while this runs.
    for (const address of needed)
      for (const each of referencesIn(byAddress.get(address)?.entry)) needed.add(each);
    const own = shared.filter(({ address }) => needed.has(address));
    const now = new Map([...this.texts, ...texts]);
    const made = extended(
      own.map(({ entry }) => entry),
      this.context.session.project,
      now,
    );
    this.diagnostics.push(...own.flatMap((each) => differsHere(each, this.context.session.project)));
    return { changed: new Map([...texts, ...made.changed]), addresses: own.map(({ address }) => address) };
  }

  private chosen(
    { entries }: { readonly entries: ReadonlyMap<Address, ImportEntry> },
    isSelected: (address: Address) => boolean,
  ): readonly ImportEntry[] {
    const matches = this.wanted.match === undefined ? () => true : nameGlob(this.wanted.match);
    const chosen = [...entries.values()].filter(({ address, name }) => isSelected(address) && matches(name));
    return withNeeds(chosen, entries);
  }

  /** Warnings about new values that other environments read, too. */
  private sharedValues({ updated, changed }: WrittenBack): readonly Diagnostic[] {
    if (updated.size === 0) return [];
    const changes = this.others.changesBy({ ...noOverlay, changed });
    const namesOf = (address: Address) =>
      changes
        .flatMap(({ environment, addresses }) => (addresses.includes(address) ? [environment] : []))
        .join(', ');
    const places = new Map(
      this.context.session.project.entries.map(({ address, source }) => [address, source]),
    );
    return [...groupBy(updated.keys(), namesOf)].flatMap(([names, addresses]) =>
      names === '' ? [] : [sharedEntry(addresses, names, places.get(addresses[0] ?? ''))],
    );
  }

  private writeBack(
    isSelected: (address: Address) => boolean,
    selectors: readonly Selector[] | null,
  ): WrittenBack {
    const { matches, diffs } = this.context.observation.comparison;
    const changes = new Map(diffs.map(({ change }) => [change.address, change]));
    const exact = new Set(selectors?.map(({ pattern }) => pattern));
    const gone = goneEntries(this.context.observation.comparison);
    const differing: Differing[] = [];
    for (const { address, kind, entry, observed } of matches) {
      if (entry === null || !isSelected(address)) continue;
      const fields = changes.get(address)?.fields.map(({ path }) => path) ?? [];
      if (observed === null) {
        if (exact.has(address)) this.diagnostics.push(doesNotExist(address, entry.source));
        else this.diagnostics.push(...gone.filter((each) => each.address === address).map(asWarning));
      } else if (fields.length > 0) differing.push({ address, kind, entry, observed, fields });
    }
    const { environment } = this.context.session.project;
    // Without a selected environment, what is written is meant for all of them.
    const others = environment === null ? null : this.others;
    if (differing.length > 0) others?.requireReadable();
    const written = writeBack(differing, this.texts, this.wording, { ...this.context, others });
    this.diagnostics.push(...written.diagnostics, ...this.sharedValues(written));
    return written;
  }
}

type Objects = ReadonlyMap<KindName, readonly PullObject[]>;

/** With the entries of other environments that declare them, too. */
function withShared(objects: Objects, { shared, fixed }: Extension): Objects {
  const addresses = new Map([...shared, ...fixed].map(({ observed, entry }) => [observed, entry.address]));
  const known = (each: PullObject) => ({
    ...each,
    declared: each.declared ?? addresses.get(each.observed) ?? null,
  });
  return new Map([...objects].map(([kind, list]) => [kind, list.map(known)]));
}

function referencesIn(entry: Declared | undefined): readonly Address[] {
  const kind = kinds.find(({ name }) => name === entry?.kind);
  return entry === undefined ? [] : (kind?.references?.inEntry(entry.declared) ?? []);
}

function notExtended({ entry, observed, reason }: Extension['fixed'][number]): LeftOut {
  const help = 'Add this environment to the `environments` of the entry, or extend its `each`.';
  const why = `the entry of other environments declares it, and ${reason}`;
  return { address: entry.address, id: observed.id, reason: why, help };
}

function differsHere({ address, entry, differing }: SharedObject, { environment }: Project): Diagnostic[] {
  if (differing.length === 0) return [];
  const names = differing.map((each) => `\`${each}\``).join(', ');
  const message = `${address} now exists in the environment ${environment}, too, and its object there differs in ${names}`;
  const help =
    'The next apply gives it the values of the entry. To keep the values of this environment, replace them with variables.';
  return [{ severity: 'warning', code: 'shared-entry', message, place: entry.source, help }];
}

/** A last look, before anything is written: no other environment may notice. Without a selected one, entries exist in all. */
function requireOthersUnchanged(
  overlay: Overlay,
  { session }: CheckContext,
  others: OtherEnvironments,
): void {
  if (session.project.environment !== null && overlay.changed.size > 0) others.requireReadable();
  const changes = others.changesBy(overlay);
  const errors = changes.flatMap((each) => each.errors);
  if (errors.length > 0) throw new Problem(errors);
  const [found] = session.project.environment === null ? [] : changes;
  if (found === undefined) return;
  const { environment, addresses } = found;
  const what = some(addresses, 1);
  const message = `this pull would also change ${what} in the environment ${environment}`;
  throw problem('shared-entry', message, 'Select other addresses, or change the files yourself.');
}

function notImportable({ address, id, reason, help }: LeftOut): Diagnostic {
  const message = `${id === null ? address : `${address} (${id})`} was left out: ${reason}`;
  return { severity: 'error', code: 'not-importable', message, help };
}

function doesNotExist(address: Address, place: NonNullable<Diagnostic['place']>): Diagnostic {
  const message = `${address} does not exist on the service, so it has no values to write`;
  const help = 'Remove the entry, or create the object with `roster apply`.';
  return { severity: 'error', code: 'not-written-back', message, place, help };
}

type OmissionReason = Omit<LeftOut, 'address' | 'id'>;

export interface Importable {
  readonly entries: readonly ImportEntry[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The entries that a manifest can hold: each is read as a manifest and planned, and must be adopted without a difference.
 * The others are left out with the reason, and what needs them.
 */
function importable(
  entries: readonly ImportEntry[],
  context: CheckContext,
  others: OtherEnvironments,
  changed: Overlay['changed'],
): Importable {
  const leftOut: LeftOut[] = [];
  let left = entries;
  for (;;) {
    const reasons = new Map<Address, OmissionReason>(left.flatMap((each) => secretReason(each, context)));
    if (reasons.size === 0) {
      const added = left.map((each) => ({ file: each.address, text: manifestText([each], kinds) }));
      const overlay = { changed, added, ahead: new Set<string>() };
      for (const [address, reason] of faultsOf(left, context, others, overlay)) reasons.set(address, reason);
    }
    if (reasons.size === 0) return { entries: withoutUnused(left), leftOut };
    const without = dropped(left, reasons);
    for (const { address, id } of left) {
      const reason = without.get(address);
      if (reason !== undefined) leftOut.push({ address, id, ...reason });
    }
    left = left.filter((each) => !without.has(each.address));
  }
}

function secretReason(entry: ImportEntry, { session }: CheckContext): [Address, OmissionReason][] {
  const text = manifestText([entry], kinds);
  const isKey = findApiKeys(text).length > 0;
  if (!isKey && !session.project.secrets.some((each) => text.includes(each))) return [];
  const what = isKey ? 'what looks like an API key' : 'a value that this project takes from the environment';
  const holding = Object.entries(entry.properties).find(([name, value]) => {
    const own = pairLines(name, yamlValue(value), '').join('\n');
    return isKey ? findApiKeys(own).length > 0 : session.project.secrets.some((each) => own.includes(each));
  });
  const reason = `${holding === undefined ? 'it' : `\`${holding[0]}\``} contains ${what}`;
  return [[entry.address, { reason, help: CHANGE_OBJECT }]];
}

const CHANGE_OBJECT = 'Change it on the service, and run `roster pull` again.';

/** Why entries cannot be written. */
function faultsOf(
  entries: readonly ImportEntry[],
  context: CheckContext,
  others: OtherEnvironments,
  overlay: Overlay,
): readonly (readonly [Address, OmissionReason])[] {
  const own = new Set(entries.map(({ address }) => address));
  const texts = new Map(overlay.added.map(({ file, text }) => [file, text]));
  const { errors: here, project, comparison } = check(context, overlay);
  const elsewhere = others
    .changesBy(overlay)
    .flatMap(({ environment, errors }) =>
      errors.map((each) => ({ ...each, message: `${each.message} (environment: ${environment})` })),
    );
  const errors = here.length > 0 ? here : elsewhere;
  const faults = errors.flatMap((each) => {
    const address = placesOf(each).find((file) => own.has(file));
    return address === undefined ? [] : [[address, faultOf(each, texts.get(address))] as const];
  });
  // Errors in other files are not a reason to leave out a new entry.
  if (errors.length > 0 && faults.length === 0) throw new Problem(errors);
  if (faults.length > 0) return faults;
  const existing = new Set(project?.entries.map(({ address }) => address));
  const absent = [...own].filter((address) => !existing.has(address));
  if (absent.length > 0) return absent.map((address) => [address, notHere] as const);
  const unjudged = entries.filter(({ address }) => comparison?.broken.has(address) === true);
  if (unjudged.length > 0)
    return unjudged.map(
      ({ address, needs }) => [address, { reason: `${needs.join(', ')} has an error` }] as const,
    );
  return (comparison?.diffs ?? []).flatMap(({ change: { address, action, fields } }) => {
    if (!own.has(address) || action === 'adopt' || action === 'none') return [];
    const names = fields.map(({ path }) => `\`${path}\``).join(', ');
    const reason = `a manifest cannot declare it as it is: ${names || action} would change`;
    return [[address, { reason }] as const];
  });
}

const notHere: OmissionReason = {
  reason: '`environments` of `defaults` leaves it out where no environment is selected',
  help: 'Select the environment with `-e`.',
};

/** The value is on the service: how a manifest writes values is no help. */
function faultOf({ code, message, help, place }: Diagnostic, text = ''): OmissionReason {
  if (code !== 'unsafe-text' && code !== 'schema') return { reason: message, help };
  const until = text.split('\n').slice(0, place?.line);
  const name = until.flatMap((line) => /^ {4}(\w+):/.exec(line)?.[1] ?? []).at(-1);
  const isNamed = name === undefined || message.startsWith('`');
  return { reason: isNamed ? message : `\`${name}\`: ${message}`, help: CHANGE_OBJECT };
}

function placesOf({ place, related = [] }: Diagnostic): string[] {
  return [place, ...related.map((each) => each.place)].flatMap((each) => each?.file ?? []);
}

/** With what needs them. */
function dropped(
  entries: readonly ImportEntry[],
  reasons: ReadonlyMap<Address, OmissionReason>,
): ReadonlyMap<Address, OmissionReason> {
  const all = new Map(reasons);
  for (const { address, needs } of entries) {
    const missing = needs.find((each) => reasons.has(each));
    if (missing !== undefined && !all.has(address))
      all.set(address, { reason: `${missing}, which it starts, cannot be written` });
  }
  return all;
}

/** What is not ours is written only where something needs it. */
function withoutUnused(entries: readonly ImportEntry[]): readonly ImportEntry[] {
  const needed = new Set(entries.flatMap(({ needs }) => needs));
  return entries.filter(({ external, address }) => !external || needed.has(address));
}

/** What exists, with what declares it. */
export function objectsOf({ state, comparison }: Observation): ReadonlyMap<KindName, readonly PullObject[]> {
  const known = new Map<Observed, Pick<PullObject, 'declared' | 'owned' | 'elsewhere'>>();
  for (const match of comparison.matches) {
    const { address, entry, broken, observed, ours } = match;
    if (observed !== null)
      known.set(observed, {
        declared: entry === null ? (broken?.address ?? null) : address,
        owned: entry === null && ours,
        elsewhere: entry === null && !ours && isOwnedElsewhere(match),
      });
  }
  for (const [address, observed] of comparison.externals)
    known.set(observed, { declared: address, owned: false, elsewhere: false });
  return new Map(
    kinds.map((kind) => {
      const objects = (state.objects.get(kind.name) ?? []).filter((each) => exists(kind, each));
      return [
        kind.name,
        objects.map((observed) => ({
          observed,
          declared: known.get(observed)?.declared ?? null,
          owned: known.get(observed)?.owned ?? true,
          elsewhere: known.get(observed)?.elsewhere ?? false,
        })),
      ];
    }),
  );
}

/** Agents by their externalAgentId, where that names this agent and no other; objects by their address. */
export function wordingOf({ state, comparison }: Observation): Wording {
  const lookup = agentLookup(state.agents, () => null);
  const find = (text: string) => {
    const result = lookup.find(text);
    return 'agent' in result ? result.agent.id : undefined;
  };
  const addresses = new Map<string, Address>();
  for (const { address, kind, entry, observed } of comparison.matches)
    if (entry !== null && observed !== null) addresses.set(objectKey(kind.name, observed.id), address);
  for (const [address, { kind, id }] of comparison.externals) addresses.set(objectKey(kind, id), address);
  return {
    agentId: find,
    names: {
      agent(id) {
        const external = lookup.byId(id)?.externalAgentId ?? '';
        return external.trim() !== '' && find(external) === id ? external : id;
      },
      object: (kind, id) => addresses.get(objectKey(kind, id)) ?? `${kind}/${id}`,
    },
  };
}

interface Wanted extends NewFilesOptions {
  readonly addresses?: readonly string[];
  readonly match?: string | undefined;
}

/** Refuses flags that choose or place new entries, where every address is one of an entry. */
function refuseFlagsWithoutEffect({ entries }: Project, { addresses = [], ...flags }: Wanted): void {
  const declared = new Set(entries.map(({ address }) => address));
  if (addresses.length === 0 || !addresses.every((each) => declared.has(each))) return;
  const flag = (['into', 'out', 'match', 'by'] as const).find((name) => flags[name] !== undefined);
  if (flag === undefined) return;
  const message = `\`--${flag}\` has no effect: ${addresses.join(', ')} ${agree(addresses.length, 'is', 'are')} declared`;
  throw problem(
    'usage',
    message,
    'It is for new entries. Omit it to write the remote values into the entries.',
  );
}

/** What the inventory holds and no entry declares: the next apply deletes it. */
function ownedWithoutEntry({ comparison }: Observation): readonly Address[] {
  return comparison.matches.flatMap(({ address, entry, broken, observed, ours }) =>
    entry === null && broken === undefined && observed !== null && ours ? [address] : [],
  );
}

interface Chosen {
  readonly isSelected: (address: Address) => boolean;
  readonly match: string | undefined;
  readonly owned: readonly Address[];
}

function reasonsForNothing(observation: Observation, { isSelected, match, owned }: Chosen): string[] {
  const { matches } = observation.comparison;
  const differs = matches.flatMap(({ address, ignoredDifferences = [] }) =>
    ignoredDifferences.length > 0 && isSelected(address) ? [address] : [],
  );
  const left = owned.filter(isSelected);
  const what = left.length === 1 ? `${left[0]} belongs` : `${left.length} objects belong`;
  const [has, restore] =
    left.length === 1 ? ['has', 'the entry, or list it'] : ['have', 'the entries, or list them'];
  const reasons: string[] = [];
  if (match !== undefined) reasons.push(`No object without an entry has a name that matches "${match}".`);
  if (differs.length > 0)
    reasons.push(`Differences under \`ignore\` are not written: ${differs.join(', ')}.`);
  if (left.length > 0)
    reasons.push(`${what} to this project but ${has} no entry: restore ${restore} under \`removed\`.`);
  return reasons;
}

function sharedEntry(addresses: readonly Address[], names: string, place?: Diagnostic['place']): Diagnostic {
  const what = some(addresses, 1);
  const where = names.includes(',') ? `environments ${names}` : `environment ${names}`;
  const message = `the new values of ${what} also apply to the ${where}`;
  const help = 'To change one environment only, use a variable in place of the value.';
  return { severity: 'warning', code: 'shared-entry', message, place, help };
}
