/** What the script of the page reads: `JSON.parse` of the element `#data`. Texts are plain and may be anything. */
export interface PageData {
  readonly changes: readonly PageChange[];
  /** Changes that are read as one: closed at first. */
  readonly groups: readonly PageGroup[];
  readonly problems: readonly PageProblem[];
  /** Links to everything that a change touches. */
  readonly links: readonly PageLink[];
}

export interface PageGroup {
  readonly action: string;
  /** `1,000 groups`. */
  readonly title: string;
  /** What they have in common and what varies, a line each. */
  readonly lines: readonly string[];
  readonly risks: readonly string[];
  /** The index of the first change. The others follow it. */
  readonly first: number;
  readonly size: number;
  /** Every change of it has the owners that its lines name. */
  readonly hasSameOwners: boolean;
}

export interface PageChange {
  readonly address: string;
  readonly kind: string;
  /** `moved` for an object that is adopted because only its key has changed. */
  readonly action: string;
  /** Where it differs from the key of the entry. */
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  /** What changes, on one line. */
  readonly facts?: string | undefined;
  /** True for what a reviewer must not overlook. */
  readonly careful?: boolean | undefined;
  /** Such as `changed outside roster`. */
  readonly remarks: readonly string[];
  /** Empty where all changes have the same owners. */
  readonly owners: readonly string[];
  readonly risks: readonly PageRisk[];
  readonly notes: readonly string[];
  readonly place?: PagePlace | undefined;
  /** Where a delete was declared at the last apply. */
  readonly formerFile?: string | undefined;
  readonly fields: readonly PageField[];
  readonly calls: readonly string[];
  readonly runs?: PageRuns | undefined;
}

export interface PageRisk {
  /** The words of its code, to choose changes by. */
  readonly label: string;
  readonly message: string;
}

export interface PagePlace {
  readonly file: string;
  readonly line: number;
  /** http or https; missing where no commit is known. */
  readonly url?: string | undefined;
}

export interface PageField {
  readonly path: string;
  /** Such as `changed outside roster`. */
  readonly remark?: string | undefined;
  /** Elements of a list that come and go. */
  readonly added?: readonly string[] | undefined;
  readonly removed?: readonly string[] | undefined;
  /** A value in one piece, or a list whose order changes. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The lines of a diff. */
  readonly lines?: readonly PageLine[] | undefined;
}

export interface PageLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk';
  readonly text: string;
}

export interface PageRuns {
  readonly title: string;
  readonly columns: readonly { readonly title: string; readonly runs: readonly string[] }[];
  readonly clockChanges: readonly string[];
}

export interface PageProblem {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly help?: string | undefined;
  readonly place?: PagePlace | undefined;
}

export interface PageLink {
  readonly from: string;
  readonly to: string;
  /** The number of a pipeline's stage. */
  readonly stage?: number | undefined;
}
