import type { Diagnostic } from '../../model/diagnostic.js';
import type { Hold } from '../../model/hold.js';
import type { AgentInput, ListedAgent, ListedObject, ListedSection } from '../../model/listing.js';
import type { ServiceOverride, UnmanagedCounts } from '../../model/plan.js';
import { diagnosticJson } from './plan-json.js';

/** What `roster list` shows. */
export interface ListView {
  readonly project: string | null;
  readonly environment: string | null;
  readonly service: string;
  readonly serviceOverride?: ServiceOverride;
  readonly agents: readonly ListedAgent[] | null;
  readonly sections: readonly ListedSection[];
  readonly unmanaged: UnmanagedCounts | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** `list --format json`: a list for each section that was asked for. `unmanaged` is null without a project. */
export function listJson(view: ListView, withInputs: boolean) {
  const { project, environment, service, serviceOverride, agents, sections } = view;
  return {
    formatVersion: 1,
    ...{ project, environment, service },
    ...(serviceOverride === undefined ? {} : { serviceOverride }),
    ...(agents === null ? {} : { agents: agents.map((each) => agentJson(each, withInputs)) }),
    ...Object.fromEntries(sections.map(({ section, objects }) => [section, objects.map(objectJson)])),
    unmanaged: view.unmanaged,
    diagnostics: view.diagnostics.map(diagnosticJson),
  };
}

function agentJson({ id, externalAgentId, name, inputKeys, inputs = [] }: ListedAgent, withInputs: boolean) {
  const shown = withInputs ? { inputs: inputs.map(inputJson) } : { inputKeys };
  return { address: `agent/${externalAgentId}`, id, externalAgentId, name, ...shown };
}

function inputJson({ key, defaultValue }: AgentInput) {
  return { key, defaultValue };
}

function objectJson({ address, status, canManage, id, name, caller, held, values }: ListedObject) {
  const facts = { address, status, canManage, id, name };
  const rest = { ...(caller === undefined ? {} : { caller }), ...values };
  return { ...facts, ...rest, ...(held === undefined ? {} : { held: heldJson(held) }) };
}

function heldJson({ by, reason, since, until }: Hold) {
  return { by, reason, since, until };
}
