import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { editorSchemas, withMarkdownDescriptions } from '../../../scripts/schema-markdown.js';
import { kinds } from '../../../src/kinds/index.js';
import type { DataOutcome } from '../../../src/model/data.js';
import type { Severity } from '../../../src/model/diagnostic.js';
import type { Action, Origin } from '../../../src/model/plan.js';
import type { Outcome } from '../../../src/model/report.js';
import type { Request } from '../../../src/model/request.js';
import type { Prune } from '../../../src/model/resource.js';
import {
  healths,
  type Run,
  type RunIdKind,
  type ServiceRunState,
  type Sync,
} from '../../../src/model/run.js';
import type { NextRuns } from '../../../src/model/schedule.js';
import { type Part, partsOf, propertiesOf, read, type Schema, schemaNames, validator } from './schemas.js';

/** In an editor the schemas are the manual: what stands in them is what a person reads while writing. */
describe.each(schemaNames)('%s.schema.json', (name) => {
  const properties = propertiesOf(name);

  it('has a title and a description for every property', () => {
    const wanting = properties.filter(
      ({ schema }) => !isText(schema['title']) || !isText(schema['description']),
    );
    expect(wanting.map(({ at }) => at)).toEqual([]);
  });

  it('has a distinct description for each property, ending in a period', () => {
    const weak = properties.filter(({ schema }) => {
      const [title, description] = [String(schema['title']), String(schema['description'])];
      return description.length <= title.length || !description.endsWith('.');
    });
    expect(weak.map(({ at }) => at)).toEqual([]);
  });

  it('shows an example or a default unless a value is one of a few', () => {
    const wanting = properties.filter(({ schema }) => !showsValues(schema));
    expect(wanting.map(({ at }) => at)).toEqual([]);
  });

  it('accepts its own examples and defaults', () => {
    const wrong = partsOf(name).flatMap((part) =>
      valuesOf(part)
        .filter((value) => !validator(part.at)(value))
        .map((value) => [part.at, value]),
    );
    expect(wrong).toEqual([]);
  });

  it('has the default that its description names', () => {
    const said = properties.flatMap(({ at, schema }) => {
      const word = /Default: (\w+)\.$/.exec(String(schema['description']))?.[1];
      return word === undefined || ['none', 'never', 'empty'].includes(word)
        ? []
        : [[at, word, String(schema['default'])]];
    });
    expect(said.filter(([, word, value]) => word !== value)).toEqual([]);
  });
});

it('has Markdown for editors wherever a description is not the same in Markdown (`npm run docs` writes it)', () => {
  for (const file of editorSchemas) {
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(withMarkdownDescriptions(text));
  }
});

it('keeps code in Markdown descriptions, and shows all else as it is', () => {
  const line = (text: string) => `  "description": ${JSON.stringify(text)},`;
  const [, markdown] = withMarkdownDescriptions(line('Named *.yaml, `a_*` or <b> [c].')).split('\n');
  expect(markdown).toBe('  "markdownDescription": "Named \\\\*.yaml, `a_*` or \\\\<b> \\\\[c\\\\].",');
  expect(withMarkdownDescriptions(line('Plain.'))).toBe(line('Plain.'));
});

/** Keys that the compiler holds against the types: a new member has to be put here, and then into the schemas. */
const closed = {
  prune: { owned: true, all: true, never: true } satisfies Record<Prune, true>,
  action: {
    create: true,
    update: true,
    replace: true,
    delete: true,
    adopt: true,
    forget: true,
  } satisfies Record<Exclude<Action, 'none'>, true>,
  origin: { manifest: true, remote: true, both: true } satisfies Record<Origin, true>,
  severity: { error: true, warning: true, info: true } satisfies Record<Severity, true>,
  by: { service: true, roster: true } satisfies Record<NextRuns['by'], true>,
  method: { GET: true, POST: true, PUT: true, DELETE: true } satisfies Record<Request['method'], true>,
  outcome: { done: true, failed: true, skipped: true, unknown: true } satisfies Record<Outcome, true>,
  kind: Object.fromEntries(kinds.map((each) => [each.name, true])),
};

it.each(Object.entries(closed))(
  'the schemas list the values of %s, which are a closed set',
  (name, values) => {
    const lists = schemaNames
      .flatMap(propertiesOf)
      .filter(({ at }) => at.endsWith(`/properties/${name}`))
      // What a schedule starts is no resource when it is an agent, and never a schedule or a key.
      .filter(({ at }) => !at.includes('/target/'))
      // Who holds something is a name, and a download ends otherwise than a change.
      .filter(({ at }) => !/\/(hold|held|saved)\//.test(at))
      .map(({ at, schema }) => [
        at,
        enumOf(schema)
          ?.filter((value) => value !== null)
          .sort(),
      ]);
    expect(lists.length).toBeGreaterThan(0);
    for (const [at, list] of lists) expect([at, list]).toEqual([at, Object.keys(values).sort()]);
  },
);

/** The same for those of runs and their status, by the place of the property. */
const closedOfRuns = {
  'runs.schema.json#/definitions/run/properties/idKind': {
    job: true,
    groupRun: true,
    pipelineRun: true,
  } satisfies Record<RunIdKind, true>,
  'runs.schema.json#/definitions/run/properties/state': runStates(),
  'runs.schema.json#/definitions/run/properties/anomaly': {
    none: true,
    slow: true,
    fast: true,
  } satisfies Record<Run['anomaly'], true>,
  'runs.schema.json#/definitions/saved/properties/outcome': {
    saved: true,
    unpaid: true,
    notFound: true,
    expired: true,
    noFile: true,
    failed: true,
  } satisfies Record<DataOutcome, true>,
  'status.schema.json#/definitions/lastRun/properties/state': runStates(),
  'status.schema.json#/definitions/resource/properties/health': Object.fromEntries(
    healths.map((each) => [each, true]),
  ),
  'status.schema.json#/definitions/resource/properties/sync': {
    'in-sync': true,
    drifted: true,
    pending: true,
    missing: true,
    unmanaged: true,
    external: true,
    unknown: true,
  } satisfies Record<Sync, true>,
};

function runStates() {
  return {
    running: true,
    succeeded: true,
    failed: true,
    stopped: true,
    notStarted: true,
    unknown: true,
  } satisfies Record<ServiceRunState, true>;
}

it.each(Object.entries(closedOfRuns))('%s has exactly the values of its type', (at, values) => {
  const found = (['runs', 'status'] as const).flatMap(propertiesOf).find((each) => each.at === at);
  expect([...(enumOf(found?.schema ?? {}) ?? [])].sort()).toEqual(Object.keys(values).sort());
});

it('a report is a plan with its outcome', () => {
  const [plan, report] = [read('plan'), read('report')];
  const own = { change: ['outcome', 'error'], report: ['converged'] };
  // Nothing is applied from a snapshot.
  expect(shapeWithout(report, own.report, ['diagnostics'])).toEqual(
    shapeWithout(plan, ['snapshot'], ['diagnostics']),
  );
  for (const [name, definition] of Object.entries(report['definitions'] as Schema)) {
    const same = (plan['definitions'] as Schema)[name] as Schema;
    const added = name === 'change' ? own.change : [];
    const worded = name === 'change' ? ['id'] : [];
    expect(shapeWithout(definition as Schema, added, worded)).toEqual(shapeWithout(same, [], worded));
  }
});

it('the schema accepts the snippets once they are filled in', () => {
  const sections = partsOf('project').filter(({ schema }) => 'defaultSnippets' in schema);
  expect(sections.map(({ at }) => at.split('/').at(-1))).toEqual([
    'groups',
    'pipelines',
    'schedules',
    'keys',
  ]);
  for (const { at, schema } of sections) {
    for (const { body } of schema['defaultSnippets'] as { body: object }[]) {
      const filled = JSON.parse(JSON.stringify(body).replaceAll(/\$\{\d+:([^}]*)\}/g, '$1')) as unknown;
      const validate = validator(at);
      expect([filled, validate(filled), validate.errors]).toEqual([filled, true, null]);
    }
  }
});

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** True where the schema shows what a value looks like: itself, in what it lists or in what it refers to. */
function showsValues(schema: Schema): boolean {
  const shown = ['examples', 'default', 'enum', 'const', 'properties'].some((keyword) => keyword in schema);
  if (shown || schema['type'] === 'boolean') return true;
  const inner = [
    ...((schema['anyOf'] ?? []) as Schema[]),
    ...('items' in schema ? [schema['items'] as Schema] : []),
  ];
  return inner.some((each) => refersToMore(each) || showsValues(each));
}

/** A variable is no example of a value. */
function refersToMore({ $ref }: Schema): boolean {
  return typeof $ref === 'string' && !/\/(?:variable|template)$/.test($ref);
}

function valuesOf({ schema }: Part): unknown[] {
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : [];
  return 'default' in schema ? [...examples, schema['default']] : examples;
}

/** The list of a closed set, where a variable may stand instead, too. */
function enumOf(schema: Schema): unknown[] | undefined {
  const strict = ((schema['anyOf'] ?? []) as Schema[])[0] ?? schema;
  return strict['enum'] as unknown[] | undefined;
}

/** An object's schema but for some of its properties, and but for the words of others. */
function shapeWithout(schema: Schema, added: readonly string[], worded: readonly string[]): Schema {
  const { $id, title, description, definitions, properties, required, ...rest } = schema;
  const kept = Object.entries(properties as Record<string, Schema>)
    .filter(([name]) => !added.includes(name))
    .map(([name, { description, ...each }]) => [
      name,
      worded.includes(name) ? each : { description, ...each },
    ]);
  return {
    ...rest,
    properties: Object.fromEntries(kept),
    required: (required as string[]).filter((name) => !added.includes(name)),
  };
}
