import type { CheckedData, CheckedDataset, DataCheck } from '../../model/data.js';
import { type Diagnostic, messageOf } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import {
  type AgentJudgement,
  type Health,
  judgementText,
  type ResourceStatus,
  type Run,
  runName,
  type Status,
} from '../../model/run.js';
import { instantText } from '../../model/words.js';
import { commandFor } from '../data/check-words.js';
import { escapeControls } from '../escape.js';
import { healthText, holdBeside, runSeconds, withStageNames } from '../labels.js';

/** Runs as JUnit XML: a suite for each run, and a case for each of its agents, and for each thing that is expected of their data. */
export function runsJunit(
  runs: readonly Run[],
  isDetached: boolean,
  checked: CheckedData = { environment: null, datasets: [] },
): string {
  const ofRuns = runs.map((run) => suiteXml(withStageNames(run), isDetached));
  const suites = [...ofRuns, ...datasetsXml(checked, ['unmet'])].join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n${suites}</testsuites>\n`;
}

function suiteXml(run: Run, isDetached: boolean): string {
  const cases = casesOf(run);
  const count = (...states: Run['state'][]) => cases.filter(({ state }) => states.includes(state)).length;
  const counts = {
    tests: cases.length,
    failures: count('failed', 'stopped', 'notStarted'),
    errors: isDetached ? count('unknown') : count('unknown', 'running'),
    skipped: isDetached ? count('running') : null,
  };
  const name = runName(run);
  const attributes = attributesXml({ name, ...counts, time: runSeconds(run) });
  return `  <testsuite${attributes}>\n${cases.map((each) => runCaseXml(each, name, isDetached)).join('')}  </testsuite>\n`;
}

/** A stage that a running pipeline has not reached is as open as one that runs: it has not failed. */
function casesOf(run: Run): readonly Run[] {
  if (run.members.length === 0) return [run];
  if (run.idKind !== 'pipelineRun' || run.state !== 'running') return run.members;
  return run.members.map((each) =>
    each.state === 'notStarted' ? { ...each, state: 'running', message: 'not started yet' } : each,
  );
}

function runCaseXml(run: Run, suite: string, isDetached: boolean): string {
  const attributes = attributesXml({ classname: suite, name: runName(run), time: runSeconds(run) });
  const result = resultXml(run, isDetached);
  return result === null
    ? `    <testcase${attributes}/>\n`
    : `    <testcase${attributes}>${result}</testcase>\n`;
}

/** What is not known to have ended is an error, not a failure. */
function resultXml({ state, message }: Run, isDetached: boolean): string | null {
  if (state === 'succeeded') return null;
  if (state === 'running' && isDetached) return `<skipped${attributesXml({ message: 'started' })}/>`;
  const element = state === 'unknown' || state === 'running' ? 'error' : 'failure';
  return `<${element}${attributesXml({ type: state, message: message ?? state })}/>`;
}

/** The status as JUnit XML: a case for each resource, and for each error. What `failOn` names has failed. */
export function statusJunit({ project, resources, diagnostics }: Status, failOn: readonly Health[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const cases = [...resources.map((each) => resourceCaseXml(each, failOn)), ...errors.map(errorXml)].join('');
  const failures = resources.filter(({ health }) => failOn.includes(health)).length;
  const skipped = resources.filter((each) => isSkipped(each, failOn)).length;
  const tests = resources.length + errors.length;
  const counts = attributesXml({ name: project, tests, failures, errors: errors.length, skipped });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n  <testsuite${counts}>\n${cases}  </testsuite>\n</testsuites>\n`;
}

/** Diagnostics as JUnit XML: a case for each, and one that has passed where there are none. Errors have failed. */
export function diagnosticsJunit(diagnostics: readonly Diagnostic[], project: string): string {
  const failures = diagnostics.filter(({ severity }) => severity === 'error').length;
  const skipped = diagnostics.length - failures;
  const cases =
    diagnostics.length === 0
      ? [`    <testcase${attributesXml({ classname: project, name: 'valid' })}/>\n`]
      : diagnostics.map((each) => diagnosticXml(each, project));
  const counts = attributesXml({ name: project, tests: cases.length, failures, errors: 0, skipped });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n  <testsuite${counts}>\n${cases.join('')}  </testsuite>\n</testsuites>\n`;
}

function diagnosticXml(diagnostic: Diagnostic, project: string): string {
  const { code, policy, place, severity } = diagnostic;
  const where = place === undefined ? '' : ` (${place.file}:${place.line}:${place.column})`;
  const name = `${policy ?? code}${where}`;
  const attributes = attributesXml({ classname: place?.file ?? project, name });
  const message = attributesXml({ type: code, message: messageOf(diagnostic) });
  const result =
    severity === 'error'
      ? `<failure${message}/>`
      : `<skipped${attributesXml({ message: messageOf(diagnostic) })}/>`;
  return `    <testcase${attributes}>${result}</testcase>\n`;
}

function resourceCaseXml(resource: ResourceStatus, failOn: readonly Health[]): string {
  const { address, health, reason } = resource;
  const said = [reason, holdBeside(resource)].filter((part) => part !== '').join('; ');
  const attributes = attributesXml({ classname: address.split('/')[0] ?? '', name: address });
  const message = `${healthText(resource)}${said === '' ? '' : `: ${said}`}`;
  if (failOn.includes(health))
    return `    <testcase${attributes}><failure${attributesXml({ type: health, message })}/></testcase>\n`;
  if (isSkipped(resource, failOn))
    return `    <testcase${attributes}><skipped${attributesXml({ message })}/></testcase>\n`;
  return `    <testcase${attributes}/>\n`;
}

function errorXml(diagnostic: Diagnostic): string {
  const { code } = diagnostic;
  const message = messageOf(diagnostic);
  const attributes = attributesXml({ classname: 'roster', name: code });
  return `    <testcase${attributes}><error${attributesXml({ type: code, message })}/></testcase>\n`;
}

/** What says neither that it works nor that it does not. */
function isSkipped({ health }: ResourceStatus, failOn: readonly Health[]): boolean {
  return !failOn.includes(health) && health !== 'healthy' && health !== 'running';
}

/** What data was found to be, as JUnit XML: a suite for each dataset, and a case for each thing that is expected of it. */
export function dataCheckJunit(check: DataCheck, failOn: readonly string[]): string {
  const { diagnostics } = check;
  const suites = datasetsXml(check, failOn);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(errorXml);
  const counts = attributesXml({ name: 'roster', tests: errors.length, failures: 0, errors: errors.length });
  const last = errors.length === 0 ? '' : `  <testsuite${counts}>\n${errors.join('')}  </testsuite>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n${suites.join('')}${last}</testsuites>\n`;
}

/** Several runs of an agent are told apart by when they ended, and those that still go on by their ids. */
function datasetsXml({ environment, datasets }: CheckedData, failOn: readonly string[]): readonly string[] {
  const nameOf = ({ agent, address }: CheckedDataset) => `${agent} of ${address}`;
  const alike = groupBy(datasets, nameOf);
  return datasets.map((each) => {
    const name = nameOf(each);
    const isOnly = alike.get(name)?.length === 1;
    const ended = each.at === null ? each.jobId : instantText(each.at);
    return datasetXml(each, isOnly || ended === null ? name : `${name}, ${ended}`, { environment, failOn });
  });
}

interface CasesContext {
  readonly environment: CheckedData['environment'];
  readonly failOn: readonly string[];
}

function datasetXml(dataset: CheckedDataset, name: string, { environment, failOn }: CasesContext): string {
  const { expectations } = dataset;
  const isFailure = ({ verdict, level }: AgentJudgement) => level === 'error' && failOn.includes(verdict);
  const isSilent = (each: AgentJudgement) => each.verdict !== 'met' && !isFailure(each);
  const failures = expectations.filter(isFailure).length;
  const skipped = expectations.filter(isSilent).length;
  const counts = attributesXml({ name, tests: expectations.length, failures, errors: 0, skipped });
  const cases = expectations.map((each) => {
    const { property, verdict } = each;
    const command = commandFor(dataset, each, environment);
    const message = `${judgementText(each)}${command === null ? '' : `. \`${command}\` shows it.`}`;
    const attributes = attributesXml({ classname: name, name: property });
    const why = attributesXml({ type: verdict, message });
    const skip = attributesXml({ message });
    const result = isFailure(each) ? `<failure${why}/>` : isSilent(each) ? `<skipped${skip}/>` : null;
    return result === null
      ? `    <testcase${attributes}/>\n`
      : `    <testcase${attributes}>${result}</testcase>\n`;
  });
  return `  <testsuite${counts}>\n${cases.join('')}  </testsuite>\n`;
}

/** ` name="value"` for each value that is not null. */
function attributesXml(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [` ${name}="${escapeXml(String(value))}"`]))
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * XML 1.0 has no way to write most control characters, nor half of a surrogate pair. What steers a terminal or a CI runner,
 * or hides what a text says, is escaped as everywhere.
 */
function escapeXml(text: string): string {
  const printable = text.toWellFormed().replace(/[\p{Cc}\ufffe\uffff]/gu, '\ufffd');
  return escapeControls(printable).replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
