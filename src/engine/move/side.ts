import { resolve } from 'node:path';
import { readOutline } from '../../manifest/outline.js';
import { type Diagnostic, errorsIn, Problem } from '../../model/diagnostic.js';
import { canonical } from '../../model/json.js';
import type { Address, Declared, Project } from '../../model/resource.js';
import { type ProjectOptions, readProjectWith } from '../project.js';
import { noOverlay, OverlayReading } from '../pull/check.js';

/** What a project is in one environment. */
export interface SideRead {
  readonly environment: string | null;
  readonly project: Project;
  readonly entries: ReadonlyMap<Address, Declared>;
}

/** One of the two projects of a move, in each of its environments. */
export class MoveSide {
  /** Its environments; null alone for a project without any. */
  readonly environments: readonly (string | null)[];
  /** The texts of its files, by their names as shown. */
  readonly texts: ReadonlyMap<string, string>;
  readonly now: readonly SideRead[];
  readonly project: Project;

  /** Throws a Problem with the errors in its manifests. */
  constructor(
    private readonly options: ProjectOptions,
    private readonly file: string | undefined,
  ) {
    const { environments } = readOutline(file, options.cwd);
    this.environments = environments.length === 0 ? [null] : environments;
    const texts = new Map<string, string>();
    const now = this.environments.map((environment) => this.load(environment, new Map(), texts));
    const failed = now.flatMap((each) => each.errors);
    if (failed.length > 0) throw new Problem(failed);
    this.texts = texts;
    this.now = now.flatMap(({ read }) => read ?? []);
    const [first] = this.now;
    if (first === undefined) throw new Error('a project without errors has no environment');
    this.project = first.project;
  }

  /** As it would be with other texts. */
  with(changed: ReadonlyMap<string, string>): {
    readonly reads: readonly SideRead[];
    readonly errors: readonly Diagnostic[];
  } {
    const all = this.environments.map((environment) => this.load(environment, changed, new Map()));
    return { reads: all.flatMap(({ read }) => read ?? []), errors: all.flatMap(({ errors }) => errors) };
  }

  /** The entries of all environments: as the first one has them. */
  entries(): ReadonlyMap<Address, Declared> {
    return new Map(this.now.toReversed().flatMap(({ entries }) => [...entries]));
  }

  pathOf(shown: string): string {
    return resolve(this.options.cwd, shown);
  }

  private load(
    environment: string | null,
    changed: ReadonlyMap<string, string>,
    texts: Map<string, string>,
  ): { readonly read: SideRead | null; readonly errors: readonly Diagnostic[] } {
    const { project, diagnostics, files } = readProjectWith(
      new OverlayReading({ ...noOverlay, changed }, this.file ?? ''),
      {
        ...this.options,
        file: this.file,
        environment: environment ?? '',
        allowMissingEnv: true,
      },
    );
    for (const { file, text } of files) texts.set(file, text);
    if (project === null) return { read: null, errors: errorsIn(diagnostics) };
    const entries = new Map(project.entries.map((each) => [each.address, each]));
    return { read: { environment, project, entries }, errors: [] };
  }
}

/** The properties in which two entries differ. */
export function differences(one: Declared, other: Declared): readonly string[] {
  const partsOf = ({ declared, id, formerly, protect, external, templates, ignore, accept }: Declared) => ({
    ...(declared as object),
    id,
    formerly,
    protect,
    external,
    templates,
    ignore: ignore ?? [],
    accept: accept ?? [],
  });
  const [a, b] = [partsOf(one), partsOf(other)] as const;
  const textOf = (parts: object, name: string) => canonical((parts as Record<string, never>)[name] ?? null);
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => textOf(a, name) !== textOf(b, name));
}
