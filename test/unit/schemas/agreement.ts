import type { Loaded } from '../../../src/manifest/load.js';
import type { Diagnostic, DiagnosticCode } from '../../../src/model/diagnostic.js';
import { valueInEditor } from './editor.js';
import { validator } from './schemas.js';

/**
 * How much of what the loader tells with a code the published schemas can say: all of it (then they must, and reject
 * for nothing else), a part, or nothing. Whatever the code, no schema knows what a variable's value brings, numbers that
 * cannot be kept exactly, or that several documents of a file are read as one.
 */
type Reach = 'all' | 'part' | 'none';

const neverOffline = ['none', 'is not told about a manifest by itself'] as const;
const warning = ['none', 'is a warning: what it is about is accepted'] as const;

const reaches = {
  schema: ['all', 'types, choices, lengths, patterns, what is missing, what excludes what, forbidden keys'],
  'unknown-property': ['all', 'every map of a manifest lists its properties'],
  'missing-setting': ['all', '`project` is required; the address and the key may come from elsewhere'],
  'too-many-stages': ['all', 'maxItems'],
  'duplicate-agent': ['all', 'uniqueItems, for agents that are written alike'],
  'unsafe-text': ['all', 'a pattern on every text; comments and what stands under x- are no values'],
  'inexact-number': ['part', 'an id above the limit; an editor has rounded all others'],
  'rewritten-number': warning,
  'invalid-time': ['all', 'the calendar is a pattern'],

  'invalid-cron': [
    'part',
    'fields and their values; no ranges that go backwards, and no days that never come',
  ],
  'invalid-time-zone': ['part', 'the form of a name; which zones there are is known to the zone data alone'],
  'invalid-condition': ['none', 'is about the words in a key, which the code reads'],
  'unknown-variable': ['part', 'the forms of a variable; which there are depends on the environment'],
  'unreadable-file': ['part', 'the form of a path; what is there is known to the disk alone'],

  'yaml-syntax': ['none', 'no value comes of it, and editors have a parser of their own that tells it'],
  'duplicate-entry': ['none', 'a value holds a key once; and entries are compared over files'],
  'limit-exceeded': ['none', 'is about the file and not about its value'],
  'unknown-reference': ['none', 'a schema compares no two places'],
  'duplicate-name': ['none', 'a schema compares no two places'],
  'unknown-scope': ['none', 'a schema compares no two places'],
  'unknown-environment': ['none', 'is about the command line, or compares two places'],
  'unsupported-version': ['none', 'which version it is, no schema knows'],
  'missing-environment-variable': ['none', 'the environment is no part of the manifest'],
  internal: ['none', 'a bug'],

  'skipped-time': warning,
  'repeated-time': warning,
  'ambiguous-cron': warning,
  'large-step': warning,
  'unknown-cron': warning,
  'ambiguous-time-zone': warning,
  'past-once': warning,
  'empty-each': warning,
  policy: neverOffline,
  'policy-exception': neverOffline,
  held: neverOffline,
  'unknown-input': warning,
  'ignored-inputs': warning,
  'inactive-target': warning,
  'former-name': warning,
  'unused-acceptance': warning,
  'start-rate': warning,
  'left-alone': warning,
  'owned-elsewhere': warning,
  'not-movable': neverOffline,
  'unreadable-sibling': warning,
  'not-selected': warning,
  'not-in-inventory': warning,
  'no-environment': warning,
  'possible-orphan': warning,

  usage: neverOffline,
  'unknown-id': neverOffline,
  'empty-project': neverOffline,
  'unknown-agent': neverOffline,
  'broken-reference': neverOffline,
  'ambiguous-agent': neverOffline,
  'ambiguous-name': neverOffline,
  'duplicate-object': warning,
  'several-new-keys': neverOffline,
  'undeliverable-key': neverOffline,
  'undelivered-key': neverOffline,
  'unfinished-apply': neverOffline,
  'not-manageable': neverOffline,
  'rejected-by-preview': neverOffline,
  'preview-differs': neverOffline,
  'too-frequent': warning,
  'unknown-owners': neverOffline,
  protected: neverOffline,
  'not-allowed': neverOffline,
  'not-confirmed': neverOffline,
  'not-included': warning,
  'read-only': neverOffline,
  'too-many-deletes': neverOffline,
  'too-many-runs': neverOffline,
  'stale-plan': neverOffline,
  locked: neverOffline,
  'inventory-unavailable': neverOffline,
  unauthorized: neverOffline,
  forbidden: neverOffline,
  'insecure-url': neverOffline,
  'proxy-error': neverOffline,
  'service-mismatch': neverOffline,
  'stale-checkout': neverOffline,
  'unrecorded-inventory': neverOffline,
  'exposed-key': neverOffline,
  'unexpected-response': neverOffline,
  'service-error': neverOffline,
  'ci-host-error': neverOffline,
  'unwritable-file': neverOffline,
  'not-converged': neverOffline,
  'rehearsal-failed': neverOffline,
  conflict: neverOffline,
  'inventory-mismatch': neverOffline,
  'invalid-inventory': neverOffline,
  'misplaced-variable': ['part', 'where it is not a valid value either'],
  'unknown-formerly': warning,
  'unknown-removed': warning,
  'invalid-snapshot': neverOffline,
  'old-snapshot': warning,
  'not-in-snapshot': warning,
  'not-importable': neverOffline,
  'not-written-back': neverOffline,
  'shared-entry': neverOffline,
  'too-many-starts': neverOffline,
  'run-failed': neverOffline,
  'not-started': neverOffline,
  'still-running': neverOffline,
  'earlier-run': neverOffline,
  'start-unknown': neverOffline,
  'data-unavailable': neverOffline,
  'unmet-expectation': neverOffline,
  'unknown-expectation': neverOffline,
  interrupted: neverOffline,
} as const satisfies Record<DiagnosticCode, readonly [Reach, string]>;

/** What the published schema and the loader make of one file. */
export interface Judged {
  readonly file: string;
  readonly rejected: boolean;
  readonly reported: readonly string[];
  readonly agreed: boolean;
}

/** One for each file that the loader could read as a value. */
export function judge({ files, diagnostics }: Loaded): Judged[] {
  return files.map(({ file, text }, index) => {
    const errors = diagnostics.filter((each) => each.severity === 'error' && each.place?.file === file);
    const codes = errors.map((each) => each.code);
    const seen = valueInEditor(text);
    if (seen === null)
      return { file, rejected: true, reported: codes, agreed: codes.includes('yaml-syntax') };
    const rejected = !validator(index === 0 ? 'project.schema.json' : 'manifest.schema.json')(seen.value);
    const must = errors.some((each) => reaches[each.code][0] === 'all' && !isOfVariable(each));
    const may = errors.some((each) => reaches[each.code][0] !== 'none');
    return { file, rejected, reported: codes, agreed: rejected ? may : !must };
  });
}

/** On a line with a variable in it: what stands there instead is not known to an editor. */
function isOfVariable({ place }: Diagnostic): boolean {
  return place?.lineText.includes('${') ?? false;
}
