import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';

export type Schema = { readonly [keyword: string]: unknown };

/** A part of a published schema, with what it refers to in place of the reference; what stands beside one wins. */
export interface Part {
  /** `project.schema.json#/properties/prune`, through references as they are written. */
  readonly at: string;
  readonly schema: Schema;
}

export const schemaNames = [
  'project',
  'manifest',
  'plan',
  'report',
  'runs',
  'status',
  'inventory',
  'snapshot',
] as const;

/** Where the package publishes them. */
export const base = 'https://unpkg.com/rosterctl/schemas/';

const files = new Map(schemaNames.map((name) => [`${name}.schema.json`, read(name)]));
const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
// What ajv does not know, because it is for editors: words for what is wrong, and snippets.
ajv.addVocabulary([
  'errorMessage',
  'patternErrorMessage',
  'markdownDescription',
  'defaultSnippets',
  'loaderDependencies',
]);
for (const schema of files.values()) ajv.addSchema(schema);

export function read(name: string): Schema {
  const path = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Schema;
}

const validators = new Map<string, ValidateFunction>();

/** Checks against a whole published schema, or a part of one: `project.schema.json#/definitions/line`. */
export function validator(at: string): ValidateFunction {
  const known = validators.get(at) ?? ajv.compile({ $ref: `${base}${at}` });
  validators.set(at, known);
  return known;
}

/** Fails with what is wrong. */
export function expectFits(at: string, value: unknown): void {
  const fits = validator(at);
  expect(fits(value) || fits.errors).toBe(true);
}

const named = ['properties', 'patternProperties', 'definitions'];
const single = ['additionalProperties', 'items', 'propertyNames', 'if', 'then', 'else'];
const several = ['anyOf', 'oneOf', 'allOf'];

/** The schemas right inside another, each with the keywords that lead to it. */
function childrenOf(schema: Schema): [keyword: string, name: string, child: Schema][] {
  const object = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
  return Object.entries(schema).flatMap(([keyword, value]): [string, string, Schema][] => {
    if (!object(value)) return [];
    if (single.includes(keyword)) return [[keyword, '', value]];
    if (![...named, ...several].includes(keyword)) return [];
    return Object.entries(value).flatMap(([name, each]): [string, string, Schema][] =>
      object(each) ? [[keyword, name, each]] : [],
    );
  });
}

/** Everything in a schema file but the conditions, which describe nothing: they ask. */
export function partsOf(name: string): Part[] {
  const visit = (at: string, schema: Schema): Part[] => [
    { at, schema },
    ...childrenOf(schema)
      .filter(([keyword]) => !['if', 'then', 'else'].includes(keyword))
      .flatMap(([keyword, key, child]) =>
        visit(`${at}/${keyword}${key === '' ? '' : `/${toPointer(key)}`}`, child),
      ),
  ];
  return visit(`${name}.schema.json#`, read(name));
}

/** Every pattern in a schema file, those of conditions and of names included. */
export function regexesOf(name: string): string[] {
  const visit = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return value.flatMap(visit);
    const { pattern, patternProperties = {} } = value as Schema;
    return [
      ...(typeof pattern === 'string' ? [pattern] : []),
      ...Object.keys(patternProperties as Schema),
      ...Object.values(value).flatMap(visit),
    ];
  };
  return [...new Set(visit(read(name)))];
}

/** The values of `properties` and `patternProperties`: what an editor shows help for. */
export function propertiesOf(name: string): Part[] {
  return partsOf(name)
    .filter(({ at }) => /\/(?:properties|patternProperties)\/[^/]+$/.test(at))
    .map(({ at, schema }) => ({ at, schema: resolved(schema, `${name}.schema.json`) }));
}

function resolved(schema: Schema, file: string): Schema {
  const { $ref, ...own } = schema;
  if (typeof $ref !== 'string') return schema;
  const [other, pointer = ''] = $ref.split('#');
  const where = other === undefined || other === '' ? file : other;
  const names = pointer.split('/').slice(1).map(fromPointer);
  const target = names.reduce<unknown>((value, name) => (value as Schema)[name], files.get(where));
  return { ...resolved(target as Schema, where), ...own };
}

function toPointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function fromPointer(name: string): string {
  return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
}
