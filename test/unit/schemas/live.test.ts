import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import { type LiveSchemaName, withAgents } from '../../../src/engine/live-schema.js';
import { kinds } from '../../../src/kinds/index.js';
import type { AgentWithInputs } from '../../../src/model/kind.js';
import { agentLookup } from '../../../src/reconcile/references.js';
import { defaultSeed } from '../../../src/sandbox/index.js';
import { jsonText } from '../../../src/view/json/diagnostics-json.js';
import { danger } from '../../support/inert.js';
import { many, sampleOf } from '../../support/size.js';
import { load, type Project, projectsOfCases } from './case-files.js';
import { valueInEditor } from './editor.js';
import { validator } from './schemas.js';
import { pathsOf, put, whole } from './whole.js';

const from = { service: 'https://collect.example.com', madeAt: new Date('2026-11-22T10:00:00Z') };

function agentOf(number: number, part: Partial<AgentWithInputs>): AgentWithInputs {
  const id = `a9e00000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const { inputs = [] } = part;
  return { id, externalAgentId: `x-${number}`, name: `Agent ${number}`, inputKeys: [], inputs, ...part };
}

const seeded = (defaultSeed().agents ?? []).map((each, index) =>
  agentOf(index, {
    ...(each.id === undefined ? {} : { id: each.id }),
    externalAgentId: each.externalAgentId,
    name: each.name ?? each.externalAgentId,
    inputs: (each.inputParameters ?? []).map(({ key, defaultValue }) => ({ key, defaultValue })),
  }),
);

function compiled(name: LiveSchemaName, agents: readonly AgentWithInputs[]): ValidateFunction {
  const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  ajv.addVocabulary(['errorMessage', 'patternErrorMessage', 'markdownDescription', 'defaultSnippets']);
  ajv.addVocabulary(['loaderDependencies', 'enumDescriptions']);
  return ajv.compile(withAgents(name, agents, from));
}

const live = compiled('project', seeded);
const liveManifest = compiled('manifest', seeded);
const projects = projectsOfCases();

/** A valid project whose agents the sandbox has. */
function isValidForSandbox(project: Project): boolean {
  const loaded = load(project);
  if (loaded.project === null) return false;
  const { find } = agentLookup(seeded, () => null);
  return loaded.project.entries.every(({ kind, declared }) => {
    const links = kinds.find(({ name }) => name === kind)?.links?.(declared).to ?? [];
    return links.every((to) => !to.startsWith('agent/') || 'agent' in find(to.slice('agent/'.length)));
  });
}

const valid = projects.filter(isValidForSandbox);

test('every manifest of the cases that is valid for the sandbox fits the live schema as it fits the static one', () => {
  let count = 0;
  const included = validator('manifest.schema.json');
  const whole = validator('project.schema.json');
  for (const { name, files, file } of valid) {
    for (const [path, text] of Object.entries(files)) {
      const read = /\.ya?ml$/.test(path) ? valueInEditor(String(text)) : null;
      if (read === null) continue;
      const [strict, offered] = path === file ? [whole, live] : [included, liveManifest];
      if (!strict(read.value)) continue;
      expect([name, path, offered(read.value), offered.errors]).toEqual([name, path, true, null]);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(200);
});

test('what the static schema refuses, the live schema refuses, too', () => {
  const strict = validator('project.schema.json');
  let refused = 0;
  for (const manifest of whole)
    for (const path of pathsOf(manifest))
      for (const value of sampleOf([null, ' x', -1, {}, 'svc_live_0123456789abcdef'], 2)) {
        const changed = put(manifest, path, value);
        if (strict(changed)) continue;
        expect([path, value, live(changed)]).toEqual([path, value, false]);
        refused += 1;
      }
  expect(refused).toBeGreaterThan(many(200, 500));
});

const withMember = (member: unknown) => ({ project: 'p', groups: { g: { members: [member] } } });
const withTarget = (target: unknown) => ({
  project: 'p',
  schedules: { s: { target, once: '2099-01-01T00:00:00' } },
});

describe('agents', () => {
  const agents = [
    agentOf(1, { externalAgentId: 'acme-shop', name: 'Acme Shop prices' }),
    agentOf(2, { externalAgentId: 'twin-a', name: 'Twin' }),
    agentOf(3, { externalAgentId: 'twin-b', name: 'Twin' }),
    agentOf(4, { externalAgentId: 'odd${name}', name: 'Caf\u00e9' }),
  ];
  const check = compiled('project', agents);

  test.each([
    ['its externalAgentId', 'acme-shop', true],
    ['its id', agents[0]?.id, true],
    ['its id in capitals', agents[0]?.id.toUpperCase(), true],
    ['its name', 'Acme Shop prices', true],
    ['its name in another spelling of Unicode', 'Cafe\u0301', true],
    ['a variable', '${var.agent}', true],
    ['an escaped externalAgentId', 'odd$${name}', true],
    ['a name that two agents have', 'Twin', false],
    ['a misspelt externalAgentId', 'acme-shpo', false],
  ])('%s names an agent only if it would in a plan', (_, member, isKnown) => {
    expect([check(withMember(member)), check(withTarget(`agent/${member}`))]).toEqual([isKnown, isKnown]);
  });

  test.each(['group/retail', 'pipeline/p', '${var.target}', 'agent/${var.agent}'])(
    'the target %s is accepted',
    (target) => {
      expect(check(withTarget(target))).toBe(true);
    },
  );

  test('they are offered with their names as descriptions, and their ids and names are not offered', () => {
    const { definitions } = withAgents(
      'manifest',
      agents,
      from,
    ) as typeof import('../../../schemas/project.schema.json');
    const offered = {
      enum: ['acme-shop', 'twin-a', 'twin-b'],
      enumDescriptions: ['Acme Shop prices', 'Twin', 'Twin'],
    };
    expect((definitions.agent as unknown as { anyOf: object[] }).anyOf[0]).toMatchObject(offered);
    expect(definitions.schedule.properties.target.anyOf[0]).toMatchObject({
      enum: ['agent/acme-shop', 'agent/twin-a', 'agent/twin-b'],
    });
    expect(JSON.stringify(definitions)).not.toContain('"examples":["acme-shop"]');
  });

  test('an account without agents gets a schema that can be compiled', () => {
    expect(compiled('project', [])(withMember('acme-shop'))).toBe(true);
  });
});

describe('inputs', () => {
  const agents = [
    agentOf(1, {
      inputs: [
        { key: 'country', defaultValue: 'DE' },
        { key: '__proto__', defaultValue: 'x' },
      ],
    }),
    agentOf(2, {
      inputs: [
        { key: 'country', defaultValue: 'FR' },
        { key: 'bad\u202ekey', defaultValue: null },
      ],
    }),
  ];

  test('the keys of all agents are offered with the agents and their defaults, those that a manifest cannot have are not', () => {
    const { definitions } = withAgents(
      'project',
      agents,
      from,
    ) as typeof import('../../../schemas/project.schema.json');
    const [map] = definitions.schedule.properties.inputs.anyOf as unknown as { properties: object }[];
    expect(map?.properties).toEqual({
      country: {
        type: ['string', 'number', 'boolean', 'array', 'object'],
        description: 'An input of x-1 (default "DE"), x-2 (default "FR").',
        examples: ['DE', 'FR'],
      },
    });
  });

  test('an unknown key, a variable and any type of value are no errors: a plan warns', () => {
    const check = compiled('project', agents);
    for (const inputs of [{ contry: 1 }, { country: ['DE'] }, { country: '${var.c}' }, '${var.inputs}'])
      expect(
        check({ project: 'p', schedules: { s: { target: 'group/g', once: '2099-01-01T00:00:00', inputs } } }),
      ).toBe(true);
  });
});

test('names that could act on a terminal or an editor are escaped, and long ones are cut', () => {
  const hostile = [
    '\u001b[31mred',
    'a\nb',
    '::error::x',
    '\u202eabc',
    '"; DROP',
    'x'.repeat(5000),
    '</script>',
  ];
  const agents = hostile.map((name, index) =>
    agentOf(index, { name, inputs: [{ key: name, defaultValue: name }] }),
  );
  const hostileIds = hostile.map((externalAgentId, index) => agentOf(index + 50, { externalAgentId }));
  const text = jsonText(withAgents('project', [...agents, ...hostileIds], from));
  expect(danger(text)).toBeNull();
  expect(text.length).toBeLessThan(150_000);
  compiled('project', [...agents, ...hostileIds]);
});

test('it says when it was made and from which service, and stands alone', () => {
  for (const name of ['project', 'manifest'] as const) {
    const schema = withAgents(name, seeded, from) as { $comment: string; $id?: string };
    expect(schema.$comment).toMatch(
      /^Made by `roster schema --live` \(roster \S+\) at 2026-11-22T10:00:00.000Z with 10 agents of https:\/\/collect\.example\.com\./,
    );
    expect([schema.$id, JSON.stringify(schema).includes('schema.json#')]).toEqual([undefined, false]);
  }
});
