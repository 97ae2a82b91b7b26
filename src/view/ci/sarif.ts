import type { Diagnostic, DiagnosticCode, Place } from '../../model/diagnostic.js';
import { codeWords } from '../code-texts.js';
import { escapeControls } from '../escape.js';

/** Where relative addresses begin: the folder that roster runs in, which in CI is the checkout. */
const base = '%SRCROOT%';

/**
 * The problems as a SARIF 2.1.0 log (contract §6, `sarif`), for code scanning. Columns are UTF-16 code units, as
 * places count them. What has no place is no result but a notification about the run: GitHub refuses a whole log for
 * one result without a location.
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
        originalUriBaseIds: { [base]: { description: { text: 'The folder that roster was run in.' } } },
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

/** All that GitHub wants to know of a rule; the short description is what it calls an alert. */
function descriptor(id: DiagnosticCode) {
  const { means, help } = codeWords[id];
  return {
    id,
    shortDescription: { text: means },
    fullDescription: { text: `${means} ${help}` },
    help: { text: help },
  };
}

function result({ code, severity, place, related = [], ...words }: Located, ruleIndex: number) {
  const relatedLocations = related.map((each, id) => ({
    id,
    message: { text: plain(each.message) },
    ...location(each.place),
  }));
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: messageOf(words),
    locations: [location(place)],
    ...(relatedLocations.length === 0 ? {} : { relatedLocations }),
  };
}

function notification({ code, severity, ...words }: Diagnostic) {
  return { descriptor: { id: code }, level: severity, message: messageOf(words) };
}

function messageOf({ message, help }: Pick<Diagnostic, 'message' | 'help'>) {
  return { text: help === undefined ? plain(message) : `${plain(message)} (help: ${plain(help)})` };
}

/** Inert, and without links: `[text](address)` would be one, and what a manifest says may stand in a message. */
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

/** A relative reference: a colon in its first segment would read as a scheme. Half a character has no encoding. */
function uriOf(file: string): string {
  return file.toWellFormed().split('/').map(encodeURIComponent).join('/');
}
