import type { Diagnostic, DiagnosticCode, Place } from '../../model/diagnostic.js';
import { codeTexts } from '../code-texts.js';
import { escapeControls } from '../escape.js';
import { severityLabels } from '../severity-labels.js';

/** The base of relative paths: the working directory, which in CI is the checkout. */
const base = '%SRCROOT%';

/**
 * Diagnostics as a SARIF 2.1.0 log (contract §6, `sarif`), for code scanning. Columns are UTF-16 code units, as in
 * `Place`. A diagnostic without a place is a notification about the run rather than a result, because GitHub rejects a
 * log that has a result without a location.
 */
export function sarif(diagnostics: readonly Diagnostic[], version: string) {
  const located = diagnostics.flatMap(({ place, ...rest }) =>
    place === undefined ? [] : [{ ...rest, place }],
  );
  const others = diagnostics.filter(({ place }) => place === undefined);
  const codes = codesOf(located);
  const driver = { name: 'roster', version, rules: codes.map(descriptor) };
  const notifications = codesOf(others).map(descriptor);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: notifications.length === 0 ? driver : { ...driver, notifications } },
        invocations: [
          {
            executionSuccessful: others.every(({ severity }) => severity !== 'error'),
            toolConfigurationNotifications: others.map(notification),
          },
        ],
        originalUriBaseIds: { [base]: { description: { text: 'The directory that roster ran in.' } } },
        columnKind: 'utf16CodeUnits',
        results: located.map((each) => result(each, codes.indexOf(each.code))),
      },
    ],
  } as const;
}

type Located = Diagnostic & { readonly place: Place };

function codesOf(diagnostics: readonly Diagnostic[]): DiagnosticCode[] {
  return [...new Set(diagnostics.map((each) => each.code))].sort();
}

/** The properties of a rule that GitHub shows; the short description is the title of an alert. */
function descriptor(id: DiagnosticCode) {
  const { title, means, help } = codeTexts[id];
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: `${means} ${help}` },
    help: { text: help },
  };
}

function result({ code, severity, place, related = [], ...texts }: Located, ruleIndex: number) {
  const relatedLocations = related.map((each, id) => ({
    id,
    message: { text: plain(each.message) },
    ...location(each.place),
  }));
  return {
    ruleId: code,
    ruleIndex,
    level: severityLabels[severity],
    message: messageOf(texts),
    locations: [location(place)],
    ...(relatedLocations.length === 0 ? {} : { relatedLocations }),
  };
}

function notification({ code, severity, ...texts }: Diagnostic) {
  return { descriptor: { id: code }, level: severityLabels[severity], message: messageOf(texts) };
}

function messageOf({ message, help }: Pick<Diagnostic, 'message' | 'help'>) {
  return { text: help === undefined ? plain(message) : `${plain(message)} (help: ${plain(help)})` };
}

/** Escaped, and without links: a message may quote a manifest, and SARIF renders `[text](url)` as a link. */
function plain(text: string): string {
  return escapeControls(text).replaceAll('](', ']\\u{28}');
}

function location({ file, line, column, length }: Place) {
  const region = {
    startLine: line,
    startColumn: column,
    endLine: line,
    endColumn: column + Math.max(1, length),
  };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file), uriBaseId: base }, region } };
}

/** A relative reference. Encoded because a colon in the first segment reads as a scheme; lone surrogates have no encoding. */
function uriOf(file: string): string {
  return file.toWellFormed().split('/').map(encodeURIComponent).join('/');
}
