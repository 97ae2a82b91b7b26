import type { Diagnostic } from '../../model/diagnostic.js';
import type { Health, ResourceStatus, Status } from '../../model/status.js';
import { healthLabels } from '../status-labels.js';
import { attributesXml } from './junit-xml.js';

/** The status as JUnit XML: a case for each resource, and for each error. What `failOn` names has failed. */
export function statusJunit({ project, resources, diagnostics }: Status, failOn: readonly Health[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const cases = [...resources.map((each) => caseXml(each, failOn)), ...errors.map(errorXml)].join('');
  const failures = resources.filter(({ health }) => failOn.includes(health)).length;
  const skipped = resources.filter((each) => isSkipped(each, failOn)).length;
  const tests = resources.length + errors.length;
  const counts = attributesXml({ name: project, tests, failures, errors: errors.length, skipped });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="roster">\n  <testsuite${counts}>\n${cases}  </testsuite>\n</testsuites>\n`;
}

function caseXml(resource: ResourceStatus, failOn: readonly Health[]): string {
  const { address, health, reason } = resource;
  const attributes = attributesXml({ classname: address.split('/')[0] ?? '', name: address });
  const message = `${healthLabels[health]}${reason === '' ? '' : `: ${reason}`}`;
  if (failOn.includes(health))
    return `    <testcase${attributes}><failure${attributesXml({ type: health, message })}/></testcase>\n`;
  if (isSkipped(resource, failOn))
    return `    <testcase${attributes}><skipped${attributesXml({ message })}/></testcase>\n`;
  return `    <testcase${attributes}/>\n`;
}

function errorXml({ code, message }: Diagnostic): string {
  const attributes = attributesXml({ classname: 'roster', name: code });
  return `    <testcase${attributes}><error${attributesXml({ type: code, message })}/></testcase>\n`;
}

/** What says neither that it works nor that it does not. */
function isSkipped({ health }: ResourceStatus, failOn: readonly Health[]): boolean {
  return !failOn.includes(health) && health !== 'healthy' && health !== 'running';
}
