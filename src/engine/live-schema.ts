import manifest from '../../schemas/manifest.schema.json' with { type: 'json' };
import project from '../../schemas/project.schema.json' with { type: 'json' };
import type { AgentInput, AgentWithInputs } from '../model/kind.js';
import { count } from '../model/words.js';
import { listAgentsWithInputs } from '../service/operations/agents.js';
import { escapeControls } from '../view/escape.js';
import type { ReadSession } from './session.js';
import { version } from './version.js';

/** The schemas that name agents. */
export const liveSchemas = ['project', 'manifest'] as const;
export type LiveSchemaName = (typeof liveSchemas)[number];

/** A schema with the agents of an account in it. Sends one read. */
export async function liveSchema(session: ReadSession, name: LiveSchemaName): Promise<object> {
  const agents = await session.client.reader().readAll(listAgentsWithInputs());
  return withAgents(name, agents, { service: session.service, madeAt: session.clock.now() });
}

export interface MadeFrom {
  readonly service: string;
  readonly madeAt: Date;
}

/**
 * The schema for editors. Agents and targets are offered, and unknown ones are errors, as in a plan. Input keys are only
 * offered: an unknown one is a warning of a plan. Nothing is suggested that the schema itself refuses.
 */
export function withAgents(name: LiveSchemaName, agents: readonly AgentWithInputs[], from: MadeFrom): object {
  const definitions = liveDefinitions(agents);
  const $comment = commentOf(agents, from);
  if (name === 'project') {
    const { $id: _, ...rest } = project;
    return { ...rest, $comment, definitions };
  }
  const { $id: _, properties: sections, ...rest } = manifest;
  const { properties: all } = project;
  const properties = Object.fromEntries(
    Object.keys(sections).map((key) => [key, all[key as keyof typeof all]]),
  );
  // The file stands alone: what it refers to is in it.
  const patternProperties = { '^x-': { $ref: '#/definitions/anchors' } };
  return { ...rest, $comment, patternProperties, properties, definitions };
}

function commentOf({ length }: readonly AgentWithInputs[], { service, madeAt }: MadeFrom): string {
  const how = `Made by \`roster schema --live\` (roster ${version}) at ${madeAt.toISOString()}`;
  return `${how} with ${count(length, 'agent')} of ${escapeControls(service)}. Make it again when agents change.`;
}

function liveDefinitions(agents: readonly AgentWithInputs[]) {
  const { definitions } = project;
  const { schedule } = definitions;
  const offered = [...new Map(agents.map((each) => [each.externalAgentId, each])).values()].filter(
    ({ externalAgentId }) => canBeWritten(externalAgentId),
  );
  const { target, inputs } = schedule.properties;
  // Without a single agent, `enum` would be empty.
  const isEmpty = offered.length === 0;
  const properties = {
    ...schedule.properties,
    target: isEmpty ? target : liveTarget(target, offered, agents),
    inputs: liveInputs(inputs, agents),
  };
  return {
    ...definitions,
    agent: isEmpty ? definitions.agent : liveAgent(definitions.agent, offered, agents),
    schedule: { ...schedule, properties },
  };
}

const guid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Variables, and the escape `$${`: what they stand for is not known here. */
const template = { pattern: '\\$\\{' };

function liveAgent(
  { examples: _, ...agent }: typeof project.definitions.agent,
  offered: readonly AgentWithInputs[],
  agents: readonly AgentWithInputs[],
) {
  const others = otherNames(agents);
  return {
    ...agent,
    anyOf: [
      enumOf(offered, ({ externalAgentId }) => externalAgentId),
      { pattern: `^${guid}$` },
      ...unoffered(others),
      template,
    ],
  };
}

function liveTarget(
  target: typeof project.definitions.schedule.properties.target,
  offered: readonly AgentWithInputs[],
  agents: readonly AgentWithInputs[],
) {
  const [written, variable] = target.anyOf;
  if (written?.pattern === undefined || variable === undefined) throw new Error('the target has two forms');
  const pattern = written.pattern.replace('agent/\\S(?:.*\\S)?', `agent/${guid}`);
  if (pattern === written.pattern) throw new Error('the pattern of targets names agents in another way');
  return {
    ...target,
    examples: target.examples.filter((each) => !each.startsWith('agent/')),
    anyOf: [
      enumOf(offered, ({ externalAgentId }) => `agent/${externalAgentId}`),
      { ...written, pattern },
      ...unoffered(otherNames(agents).map((each) => `agent/${each}`)),
      { ...written, allOf: [template] },
      variable,
    ],
  };
}

/** `enumDescriptions` is for editors: validators ignore it. */
function enumOf(agents: readonly AgentWithInputs[], text: (agent: AgentWithInputs) => string) {
  const errorMessage = 'not an agent of this account when the schema was made';
  return { enum: agents.map(text), enumDescriptions: agents.map(({ name }) => shown(name)), errorMessage };
}

/** Accepted, and not offered: editors look for suggestions inside `anyOf`, but not inside `not`. */
function unoffered(texts: readonly string[]): readonly object[] {
  return texts.length === 0 ? [] : [{ not: { not: { enum: texts } } }];
}

/** The other texts that name an agent: ids that are not GUIDs, and names that only one agent has (contract §2). */
function otherNames(agents: readonly AgentWithInputs[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of agents) {
    const text = name.normalize('NFC').trim();
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = [...counts].flatMap(([name, count]) => (count === 1 ? [name] : []));
  const all = [...agents.map(({ id }) => id), ...names, ...names.map((each) => each.normalize('NFD'))];
  return [...new Set(all)].filter(canBeWritten);
}

function liveInputs(
  inputs: typeof project.definitions.schedule.properties.inputs,
  agents: readonly AgentWithInputs[],
) {
  const [map, variable] = inputs.anyOf;
  if (map?.additionalProperties === undefined || variable === undefined)
    throw new Error('inputs have two forms');
  const { additionalProperties } = map;
  const described = [...inputsByKey(agents)].map(
    ([key, of]) => [key, { ...additionalProperties, ...inputHelp(of) }] as const,
  );
  return { ...inputs, anyOf: [{ ...map, properties: Object.fromEntries(described) }, variable] };
}

interface InputOf extends AgentInput {
  readonly agent: string;
}

function inputsByKey(agents: readonly AgentWithInputs[]): ReadonlyMap<string, readonly InputOf[]> {
  const byKey = new Map<string, InputOf[]>();
  for (const { externalAgentId: agent, inputs } of agents)
    for (const input of inputs) {
      if (!isPropertyKey(input.key)) continue;
      byKey.set(input.key, [...(byKey.get(input.key) ?? []), { ...input, agent }]);
    }
  return byKey;
}

const MOST_NAMED = 5;

function inputHelp(inputs: readonly InputOf[]) {
  const defaults = new Set(inputs.flatMap(({ defaultValue }) => defaultValue || []));
  const examples = [...defaults].filter((each) => each.length <= LONGEST_SHOWN).slice(0, MOST_NAMED);
  const named = inputs
    .slice(0, MOST_NAMED)
    .map(({ agent, defaultValue }) =>
      defaultValue ? `${shown(agent)} (default ${shown(JSON.stringify(defaultValue))})` : shown(agent),
    );
  const more = inputs.length > MOST_NAMED ? ` and ${inputs.length - MOST_NAMED} more` : '';
  const description = `An input of ${named.join(', ')}${more}.`;
  return examples.length === 0 ? { description } : { description, examples };
}

const LONGEST_SHOWN = 200;

/** For people: on one line, without characters that an editor might act on. */
function shown(text: string): string {
  return escapeControls(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

const { agent, line, propertyKey } = project.definitions;

/** Whether a manifest can have the text as it is. What looks like a variable is written with an escape. */
function canBeWritten(text: string): boolean {
  const fits = text.length <= agent.maxLength && matches(agent.pattern, text) && matches(line.pattern, text);
  return fits && !text.includes('${') && !matches(line.if.pattern, text);
}

function isPropertyKey(key: string): boolean {
  const [plain, reserved] = propertyKey.allOf;
  return (
    key !== '' &&
    key.length <= LONGEST_SHOWN &&
    matches(plain?.pattern ?? '', key) &&
    !matches(reserved?.if?.pattern ?? '', key)
  );
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(pattern, 'u').test(text);
}
