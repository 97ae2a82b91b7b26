import { type Diagnostic, type DiagnosticCode, messageOf, type Place } from '../../model/diagnostic.js';
import { codeTexts } from '../code-texts.js';
import { escapeControls } from '../escape.js';
import { severityLabels } from '../plan-words.js';

/** The base of relative paths, which are from the root of the repository. */
const base = '%SRCROOT%';

/** Which run the log is of. */
export interface SarifRun {
  readonly version: string;
  /** The page about a code. */
  helpUri(code: DiagnosticCode): string;
  /** Null when it cannot be read. */
  readonly project: string | null;
  /** Null for the settings of the project itself, `*` for all environments. */
  readonly environment: string | null;
}

/**
 * Diagnostics as a SARIF 2.1.0 log (contract §6, `sarif`), for code scanning. Columns are UTF-16 code units, as in
 * `Place`. A diagnostic without a place is a notification about the run rather than a result, because GitHub rejects a
 * log that has a result without a location.
 */
export function sarif(diagnostics: readonly Diagnostic[], run: SarifRun) {
  const located = diagnostics.flatMap(({ place, ...rest }) =>
    place === undefined ? [] : [{ ...rest, place }],
  );
  const others = diagnostics.filter(({ place }) => place === undefined);
  const codes = codesOf(located);
  const describe = (code: DiagnosticCode) => descriptor(code, run);
  const driver = { name: 'roster', version: run.version, rules: codes.map(describe) };
  const notifications = codesOf(others).map(describe);
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
        automationDetails: { id: categoryOf(run) },
        originalUriBaseIds: { [base]: { description: { text: rootText } } },
        columnKind: 'utf16CodeUnits',
        results: located.map((each) => result(each, codes.indexOf(each.code))),
      },
    ],
  } as const;
}

const rootText = 'The root of the repository or, without a repository, the directory that roster ran in.';

/**
 * `roster/pricing/production/`. GitHub keeps the alerts of each category apart: without it, the log of one project or
 * environment would close the alerts of another. All before the last slash is the category.
 */
function categoryOf({ project, environment }: SarifRun): string {
  const names = [project, environment].filter((each) => each !== null);
  return ['roster', ...names.map(uriSegment), ''].join('/');
}

type Located = Diagnostic & { readonly place: Place };

function codesOf(diagnostics: readonly Diagnostic[]): DiagnosticCode[] {
  return [...new Set(diagnostics.map((each) => each.code))].sort();
}

/** The properties of a rule that GitHub shows; the short description is the title of an alert. */
function descriptor(id: DiagnosticCode, { helpUri }: SarifRun) {
  const { title, means, help } = codeTexts[id];
  return {
    id,
    name: id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: `${means} ${help}` },
    help: { text: help },
    helpUri: helpUri(id),
  };
}

function result(diagnostic: Located, ruleIndex: number) {
  const { code, severity, place, related = [] } = diagnostic;
  const relatedLocations = related.map((each, id) => ({
    id,
    message: { text: plain(messageOf(each)) },
    ...location(each.place),
  }));
  return {
    ruleId: code,
    ruleIndex,
    level: severityLabels[severity],
    message: textOf(diagnostic),
    locations: [location(place)],
    ...(relatedLocations.length === 0 ? {} : { relatedLocations }),
  };
}

function notification(diagnostic: Diagnostic) {
  const { code, severity } = diagnostic;
  return { descriptor: { id: code }, level: severityLabels[severity], message: textOf(diagnostic) };
}

function textOf(diagnostic: Diagnostic) {
  const { help } = diagnostic;
  const message = plain(messageOf(diagnostic));
  return { text: help === undefined ? message : `${message} (help: ${plain(help)})` };
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
  return file.split('/').map(uriSegment).join('/');
}

function uriSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
