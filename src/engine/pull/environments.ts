import { readOutline } from '../../manifest/outline.js';
import { type Diagnostic, errorsIn, Problem } from '../../model/diagnostic.js';
import { canonical, type Json } from '../../model/json.js';
import type { Address, Declared, Project } from '../../model/resource.js';
import { environmentOf, fileOf, type ProjectOptions, readProjectWith } from '../project.js';
import { errorKey, noOverlay, type Overlay, OverlayReading } from './check.js';

/** What one environment is, as far as it can be read. */
interface EnvironmentRead {
  /** Null when there are errors. */
  readonly project: Project | null;
  readonly errors: readonly Diagnostic[];
}

/** What files that are not written yet would change in another environment. */
export interface EnvironmentChange {
  readonly environment: string;
  /** Those that it does not have now. */
  readonly errors: readonly Diagnostic[];
  /** Entries that would mean something else there, or begin or cease to exist. */
  readonly addresses: readonly Address[];
}

/** The environments of a project but the selected one. What a pull writes for that one must change nothing in them. */
export class OtherEnvironments {
  readonly names: readonly string[];
  private readonly now = new Map<string, EnvironmentRead>();
  private readonly meanings = new Map<string, ReadonlyMap<Address, string>>();

  constructor(
    private readonly options: ProjectOptions,
    /** roster.yaml, as shown. */
    private readonly projectFile: string,
  ) {
    const { environments } = readOutline(fileOf(options), options.cwd);
    this.names = environments.filter((each) => each !== environmentOf(options));
  }

  /** Every address that exists in one of them. */
  addresses(): readonly Address[] {
    return this.names.flatMap((name) => [...this.meaningsIn(name).keys()]);
  }

  /** Those that have an entry of this address, or may have one: they cannot be read. */
  having(address: Address): readonly string[] {
    return this.names.filter(
      (name) => this.readNow(name).project === null || this.meaningsIn(name).has(address),
    );
  }

  /** Throws a Problem with the errors of those that cannot be read: nobody knows what a changed file means there. */
  requireReadable(): void {
    const unread = this.names.filter((name) => this.readNow(name).project === null);
    if (unread.length === 0) return;
    throw new Problem(
      unread.flatMap((name) => [
        ...this.readNow(name).errors,
        {
          severity: 'error',
          code: 'shared-entry',
          message: `the environment ${name} has errors, so it is not known what this pull would change there`,
          help: `Correct them first: \`roster validate -e ${name}\`.`,
        },
      ]),
    );
  }

  /** By address, as the first of them has it. */
  entries(): ReadonlyMap<Address, Declared> {
    const all = this.names.toReversed().flatMap((name) => this.readNow(name).project?.entries ?? []);
    return new Map(all.map((each) => [each.address, each]));
  }

  /** Nothing where nothing changes. */
  changesBy(overlay: Overlay): readonly EnvironmentChange[] {
    return this.names.flatMap((environment) => {
      const [before, after] = [this.readNow(environment), this.read(environment, overlay)];
      const known = new Set(before.errors.map(errorKey));
      const errors = after.errors.filter((each) => !known.has(errorKey(each)));
      const [was, is] = [this.meaningsIn(environment), meaningsOf(after.project)];
      const all = before.project === null || after.project === null ? [] : [...was.keys(), ...is.keys()];
      const addresses = [...new Set(all)].filter((address) => was.get(address) !== is.get(address));
      return errors.length + addresses.length === 0 ? [] : [{ environment, errors, addresses }];
    });
  }

  private meaningsIn(name: string): ReadonlyMap<Address, string> {
    const found = this.meanings.get(name) ?? meaningsOf(this.readNow(name).project);
    this.meanings.set(name, found);
    return found;
  }

  private readNow(name: string): EnvironmentRead {
    const found = this.now.get(name) ?? this.read(name, noOverlay);
    this.now.set(name, found);
    return found;
  }

  /** Its variables from the environment need not be set here. */
  private read(environment: string, overlay: Overlay): EnvironmentRead {
    const reading = new OverlayReading(overlay, this.projectFile);
    const options = { ...this.options, environment, outputs: [], allowMissingEnv: true };
    const { project, diagnostics } = readProjectWith(reading, options);
    return { project, errors: errorsIn(diagnostics) };
  }
}

function meaningsOf(project: Project | null): ReadonlyMap<Address, string> {
  return new Map(project?.entries.map((each) => [each.address, meaningOf(each)]));
}

/** All of an entry but where it is written. */
export function meaningOf(entry: Declared): string {
  const { declared, id, formerly, protect, external, templates } = entry;
  const { ignore = [], accept = [] } = entry;
  return canonical([declared as Json, id, formerly, protect, external, templates, ignore, accept]);
}
