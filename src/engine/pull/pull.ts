import { kinds } from '../../kinds/index.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Address } from '../../model/resource.js';
import { candidates, type ImportEntry, type LeftOut, withNeeds } from '../../pull/import-entries.js';
import type { Differing, Wording } from '../../pull/write-back.js';
import type { Selector } from '../../reconcile/world.js';
import { observe, requireAccount, requireMatches } from '../observe.js';
import { type ProjectOptions, readProject } from '../project.js';
import { nameGlob, selectedOf, selectorsOf } from '../selectors.js';
import type { ReadSession } from '../session.js';
import type { CheckContext } from './check.js';
import { FileMaker, type NewFilesOptions, type PulledFile } from './files.js';
import { importable } from './import.js';
import { objectsOf, wordingOf } from './objects.js';
import { ownedWithoutEntry, reasonsForNothing, refuseIdle } from './reasons.js';
import { sharedValues } from './shared.js';
import { type WrittenBack, writeBack } from './write-back.js';

export interface PullOptions extends NewFilesOptions {
  /** Addresses and globs. Default: everything that is not declared. */
  readonly addresses?: readonly string[];
  /** Only objects with such a name are imported: a glob. */
  readonly match?: string | undefined;
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

export interface Pulled {
  readonly root: string;
  /** In the order in which they are written: `include` comes last, so that the project is valid in between. */
  readonly files: readonly PulledFile[];
  readonly imported: readonly {
    readonly address: Address;
    readonly file: string;
    readonly external: boolean;
  }[];
  readonly updated: readonly { readonly address: Address; readonly fields: readonly string[] }[];
  /** What is added to `include`, and to which file; null when nothing is. */
  readonly include: { readonly file: string; readonly patterns: readonly string[] } | null;
  /** Why there is nothing to write, as far as that is known: sentences. */
  readonly reasons: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
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
  refuseIdle(session.project, wanted);
  const allow = { accountChange: wanted.allowAccountChange === true };
  const observation = await observe(session, { everything: true, allow });
  requireMatches(session, observation);
  requireAccount(observation);
  const puller = new Puller(wanted, { session, options, observation });
  return { ...puller.pull(), diagnostics: puller.diagnostics };
}

class Puller {
  readonly diagnostics: Diagnostic[] = [];
  private readonly wording: Wording;
  private readonly texts: ReadonlyMap<string, string>;

  constructor(
    private readonly wanted: PullOptions,
    private readonly context: CheckContext,
  ) {
    this.wording = wordingOf(context.observation);
    this.texts = new Map(
      readProject({ ...context.options, outputs: [] }).files.map(({ file, text }) => [file, text]),
    );
  }

  pull(): Omit<Pulled, 'diagnostics'> {
    const { addresses = [] } = this.wanted;
    const found = this.candidates();
    const selectors = selectorsOf(addresses);
    const { entries: declared, root, file, existsIn } = this.context.session.project;
    const owned = ownedWithoutEntry(this.context.observation);
    const known = [
      ...owned,
      ...declared.map(({ address }) => address),
      ...found.entries.keys(),
      ...found.leftOut.map((each) => each.address),
    ];
    const isSelected = selectedOf(selectors, { addresses: known, existsIn });
    const written = this.writeBack(selectors === null ? () => false : isSelected, selectors);
    const chosen = this.chosen(found, isSelected);
    const made = importable(chosen, kinds, this.context, written.changed);
    for (const each of [...found.leftOut.filter(({ address }) => isSelected(address)), ...made.leftOut])
      this.diagnostics.push(notImportable(each));
    const { files, include } = new FileMaker(this.wanted, this.context, this.texts).files(
      made.entries,
      written.changed,
    );
    return {
      root,
      files,
      imported: files.flatMap(({ path, entries }) =>
        entries.map(({ address, external }) => ({ address, external, file: path })),
      ),
      updated: [...written.updated].map(([address, fields]) => ({ address, fields })),
      include: include.length === 0 ? null : { file, patterns: include },
      reasons: reasonsForNothing(this.context.observation, { isSelected, match: this.wanted.match, owned }),
    };
  }

  private candidates() {
    const { session, observation } = this.context;
    const { inventory } = observation;
    const { entries, elsewhere = [], removed = [], defaults = {} } = session.project;
    const declared = [...entries.map(({ address }) => address), ...elsewhere, ...removed];
    const all = new Set([...declared, ...inventory.entries.keys(), ...inventory.drafts.keys()]);
    const agentText = (id: string) => this.wording.names.agent(id);
    return candidates(kinds, objectsOf(observation), all, { agentText, defaults });
  }

  private chosen(
    { entries }: { readonly entries: ReadonlyMap<Address, ImportEntry> },
    isSelected: (address: Address) => boolean,
  ): readonly ImportEntry[] {
    const matches = this.wanted.match === undefined ? () => true : nameGlob(this.wanted.match);
    const chosen = [...entries.values()].filter(({ address, name }) => isSelected(address) && matches(name));
    return withNeeds(chosen, entries);
  }

  private writeBack(
    isSelected: (address: Address) => boolean,
    selectors: readonly Selector[] | null,
  ): WrittenBack {
    const { matches, diffs } = this.context.observation.comparison;
    const changes = new Map(diffs.map(({ change }) => [change.address, change]));
    const exact = new Set(selectors?.map(({ pattern }) => pattern));
    const differing: Differing[] = [];
    for (const { address, kind, entry, observed } of matches) {
      if (entry === null || !isSelected(address)) continue;
      const fields = changes.get(address)?.fields.map(({ path }) => path) ?? [];
      if (observed === null) {
        if (exact.has(address)) this.diagnostics.push(doesNotExist(address, entry.source));
      } else if (fields.length > 0) differing.push({ address, kind, entry, observed, fields });
    }
    const written = writeBack(differing, this.texts, this.wording, this.context);
    const shared = sharedValues([...written.updated.keys()], written.changed, this.context);
    this.diagnostics.push(...written.diagnostics, ...shared);
    return written;
  }
}

function notImportable({ address, reason, help }: LeftOut): Diagnostic {
  const message = `${address} was left out: ${reason}`;
  return { severity: 'error', code: 'not-importable', message, ...(help === undefined ? {} : { help }) };
}

function doesNotExist(address: Address, place: NonNullable<Diagnostic['place']>): Diagnostic {
  const message = `${address} does not exist on the service, so it has no values to write`;
  const help = 'Remove the entry, or create the object with `roster apply`.';
  return { severity: 'error', code: 'not-written-back', message, place, help };
}
