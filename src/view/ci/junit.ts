import { runName, type ServiceRun } from '../../model/run.js';
import { runSeconds, withStageNames } from '../run-labels.js';
import { attributesXml } from './junit-xml.js';

/** Runs as JUnit XML: a suite for each run, and a case for each of its agents. */
export function runsJunit(runs: readonly ServiceRun[], isDetached: boolean): string {
  const suites = runs.map((run) => suiteXml(withStageNames(run), isDetached)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n${suites}</testsuites>\n`;
}

function suiteXml(run: ServiceRun, isDetached: boolean): string {
  const cases = casesOf(run);
  const count = (...states: ServiceRun['state'][]) =>
    cases.filter(({ state }) => states.includes(state)).length;
  const counts = {
    tests: cases.length,
    failures: count('failed', 'stopped', 'notStarted'),
    errors: isDetached ? count('unknown') : count('unknown', 'running'),
    skipped: isDetached ? count('running') : null,
  };
  const name = runName(run);
  const attributes = attributesXml({ name, ...counts, time: runSeconds(run) });
  return `  <testsuite${attributes}>\n${cases.map((each) => caseXml(each, name, isDetached)).join('')}  </testsuite>\n`;
}

/** A stage that a running pipeline has not reached is as open as one that runs: it has not failed. */
function casesOf(run: ServiceRun): readonly ServiceRun[] {
  if (run.members.length === 0) return [run];
  if (run.idKind !== 'pipelineRun' || run.state !== 'running') return run.members;
  return run.members.map((each) =>
    each.state === 'notStarted' ? { ...each, state: 'running', message: 'not started yet' } : each,
  );
}

function caseXml(run: ServiceRun, suite: string, isDetached: boolean): string {
  const attributes = attributesXml({ classname: suite, name: runName(run), time: runSeconds(run) });
  const result = resultXml(run, isDetached);
  return result === null
    ? `    <testcase${attributes}/>\n`
    : `    <testcase${attributes}>${result}</testcase>\n`;
}

/** What is not known to have ended is an error, not a failure. */
function resultXml({ state, message }: ServiceRun, isDetached: boolean): string | null {
  if (state === 'succeeded') return null;
  if (state === 'running' && isDetached) return `<skipped${attributesXml({ message: 'started' })}/>`;
  const element = state === 'unknown' || state === 'running' ? 'error' : 'failure';
  return `<${element}${attributesXml({ type: state, message: message ?? state })}/>`;
}
