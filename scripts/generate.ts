/**
 * Writes the folders `generated`: validators compiled from the schemas (a run then never loads the schema compiler), and
 * TypeScript types; and schemas/report.schema.json. Run with
 * `npx tsx scripts/generate.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type Options } from 'ajv';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { reportSchema } from './report-schema.js';

type Schema = { [keyword: string]: unknown };

const customMessages = ['errorMessage', 'patternErrorMessage'];
/** For people and editors alone: the validators are smaller without. */
const prose = ['title', 'description', 'markdownDescription', 'default', 'defaultSnippets', '$comment'];
/**
 * In these schemas `allOf` holds what the loader checks in code, because the code has better words and a code of its own
 * (`invalid-cron`, `unsafe-text`): an editor shall know the rule, and the validators shall not be before the loader.
 */
const editorRules = ['allOf'];
/** Stand beside what a value is: for a value that has a variable in it, and for the values of repeated entries. */
const variables = ['variable', 'template', 'formerKeys'].map((name) => `#/definitions/${name}`);

const schemas = new URL('../schemas/', import.meta.url);
const generated = new URL('../src/manifest/generated/', import.meta.url);
const snapshotGenerated = new URL('../src/snapshot/generated/', import.meta.url);
const sandboxFolder = new URL('../src/sandbox/', import.meta.url);
const sandboxGenerated = new URL('generated/', sandboxFolder);
const entryTypes = new URL('../src/kinds/generated/', import.meta.url);
const snapshotDeclaration = `import type { SnapshotJson } from '../snapshot-json.js';
export declare const snapshot: {
  (value: unknown): value is SnapshotJson;
  /** The first thing that is wrong, after a false. */
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
};
`;
const policiesDeclaration = `import type { Validator } from '../schema-messages.js';
export declare const policies: Validator;
`;
const sandboxDeclaration = `import type { Validator } from '../json-file.js';
export declare const seed: Validator;
export declare const faults: Validator;
`;
const banner = '// Written by scripts/generate.ts from schemas/. Do not edit.\n';

/** Without `unicode`, lengths are counted in UTF-16 units, and the code needs no helper of the library at run time. */
const compilation: Options = {
  strict: true,
  strictRequired: false,
  strictTypes: false,
  ownProperties: true,
  unicode: false,
  logger: false,
  code: { source: true, esm: true, lines: true },
};

const project = withLoaderRules(
  withReasons(without(readSchema('project.schema.json'), editorRules)),
) as Schema;
/** Entries with it are repeated before they are checked. It is left only in what a variable brings as a whole entry. */
child(project, 'definitions')['each'] = {
  not: {},
  errorMessage:
    '`each` must be written in the entry itself, not in a variable that stands for the whole entry',
};
const sections = Object.keys(child(readSchema('manifest.schema.json'), 'properties'));
const strict = child({ project: withoutVariables(project) }, 'project');
const properties = child(strict, 'properties');
const definitions = child(strict, 'definitions');

const settings = settingsSchema();
const validators: Record<string, Schema> = {
  settings,
  variants: variantsSchema('vars', 'environments'),
  vars: variantsSchema('vars'),
  defaults: compact(child(definitions, 'defaults'), definitions),
};
const entryNames: string[] = [];
/** The properties of the entries of each section. */
const propertyNames: Record<string, string[]> = {};
/** Which defaults do not apply to an entry that sets a property, by section and property. */
const excludedDefaults: Record<string, Record<string, string[]>> = {};
for (const section of sections) {
  const entry = child(child(properties, section), 'additionalProperties')['$ref'];
  const name = String(entry).replace('#/definitions/', '');
  entryNames.push(name);
  propertyNames[section] = Object.keys(child(child(definitions, name), 'properties'));
  excludedDefaults[section] = exclusionsOf(child(definitions, name));
  validators[section] = compact(child(definitions, name), definitions);
}

const addressPrefixes = [...new Set(entryNames.flatMap(prefixesOf))];
const externalPrefixes = addressPrefixes.filter((prefix) => !entryNames.includes(prefix));

mkdirSync(generated, { recursive: true });
write('validators.js', compileValidators());
write('validators.d.ts', declareValidators());
write('policies.js', compilePolicies());
write('policies.d.ts', policiesDeclaration);
write('settings.ts', await compile(typeSchema(), 'Settings', { bannerComment: '', format: false }));
mkdirSync(snapshotGenerated, { recursive: true });
write('validator.js', compileSnapshot(), snapshotGenerated);
write('validator.d.ts', snapshotDeclaration, snapshotGenerated);
mkdirSync(sandboxGenerated, { recursive: true });
write('validators.js', compileSandbox(), sandboxGenerated);
write('validators.d.ts', sandboxDeclaration, sandboxGenerated);
writeFileSync(
  new URL('report.schema.json', schemas),
  reportSchema(readFileSync(new URL('plan.schema.json', schemas), 'utf8')),
);
mkdirSync(entryTypes, { recursive: true });
writeFileSync(
  new URL('entries.ts', entryTypes),
  `${banner}${(await Promise.all(entryNames.map(entryType))).join('')}`,
);

/** The first part of addresses such as `group/retail-prices` among the examples of an entry's properties. */
function prefixesOf(name: string): string[] {
  const shapes = Object.values(child(child(definitions, name), 'properties')) as { examples?: unknown[] }[];
  const examples = shapes.flatMap((shape) => shape.examples ?? []);
  return examples.flatMap((each) => /^([a-z]+)\/\S/.exec(String(each))?.[1] ?? []);
}

/** Alternatives exclude each other, and what an entry is may exclude properties: `then: { properties: { x: { not } } }`. */
function exclusionsOf(entry: Schema): Record<string, string[]> {
  const required = (schema: unknown) => ((schema as Schema | undefined)?.['required'] ?? []) as string[];
  const alternatives = ((entry['oneOf'] ?? []) as Schema[]).flatMap(required);
  const found = Object.fromEntries(
    alternatives.map((name) => [name, alternatives.filter((other) => other !== name)]),
  );
  const then = ((entry['then'] as Schema | undefined)?.['properties'] ?? {}) as Record<string, Schema>;
  const refused = Object.keys(then).filter((name) => Object.hasOwn(then[name] ?? {}, 'not'));
  for (const name of required(entry['if'])) found[name] = [...(found[name] ?? []), ...refused];
  return found;
}

/** The settings of the selected environment, variables replaced. */
function settingsSchema(): Schema {
  const left = omit(properties, [...sections, 'vars', 'defaults', 'environments']);
  const rest = omit(strict, ['definitions', '$schema', '$id', 'patternProperties']);
  return standalone({ ...rest, properties: left }, definitions);
}

/**
 * What is checked as it is written, because only the environment that is chosen has its variables replaced. Environments
 * can hold nearly everything, and many projects have none.
 */
function variantsSchema(...names: readonly string[]): Schema {
  const published = child(project, 'properties');
  const left = Object.fromEntries(names.map((name) => [name, published[name]]));
  return compact({ type: 'object', properties: left }, child(project, 'definitions'));
}

/** The same validator at a fraction of the size: it has each object of `definitions` once, however often it is used. */
function compact(schema: Schema, among: Schema): Schema {
  const kept: Schema = {};
  return { ...standalone(schema, among, kept), definitions: kept };
}

/** Titles would become types of their own, and the rest can be said by a check only. */
function typeSchema(): JSONSchema {
  return without(settings, ['title', 'oneOf', 'minItems']) as JSONSchema;
}

function isScalar({ type }: Schema): boolean {
  return type !== undefined && type !== 'object';
}

/** What a schema-valid entry holds, variables replaced: `GroupEntry` for the definition `group`. */
function entryType(name: string): Promise<string> {
  const rules = [
    'title',
    'oneOf',
    'anyOf',
    'not',
    'if',
    'then',
    'else',
    'dependencies',
    'minItems',
    'required',
  ];
  const entry = without(standalone(child(definitions, name), definitions), rules) as Schema;
  const schema = { ...entry, properties: omit(child(entry, 'properties'), ['each']) } as JSONSchema;
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}Entry`;
  return compile(schema, typeName, { bannerComment: '', format: false });
}

/** They list every failure, each with the schema around the rule and the value, from which messages are made. */
function compileValidators(): string {
  const ajv = new Ajv({ ...compilation, allErrors: true, verbose: true, inlineRefs: false });
  ajv.addVocabulary(customMessages);
  const names = Object.keys(validators);
  for (const name of names) ajv.addSchema(without(validators[name], prose) as Schema, name);
  const settingNames = [
    ...Object.keys(child(settings, 'properties')),
    ...['vars', 'defaults', 'environments'],
  ];
  return [
    printed(ajv, names),
    `export const sections = { ${sections.join(', ')} };`,
    `export const propertyNames = ${JSON.stringify(propertyNames)};`,
    `export const excludedDefaults = ${JSON.stringify(excludedDefaults)};`,
    `export const settingNames = ${JSON.stringify(settingNames)};`,
    `export const addressPrefixes = ${JSON.stringify(addressPrefixes)};`,
    `export const externalPrefixes = ${JSON.stringify(externalPrefixes)};`,
    '',
  ].join('\n');
}

/** A file of its own, because few projects have policies. */
function compilePolicies(): string {
  const ajv = new Ajv({ ...compilation, allErrors: true, verbose: true });
  ajv.addVocabulary(customMessages);
  ajv.addSchema(without(readSchema('policies.schema.json'), [...prose, '$id']) as Schema, 'policies');
  return printed(ajv, ['policies']);
}

/** A snapshot is refused for the first thing that is wrong with it: people do not write them. */
function compileSnapshot(): string {
  const ajv = new Ajv(compilation);
  ajv.addSchema(
    without(readSchema('snapshot.schema.json'), [...prose, 'examples', '$id']) as Schema,
    'snapshot',
  );
  return printed(ajv, ['snapshot']);
}

/** The schemas of the sandbox's files. References are inlined, so that each failure belongs to one alternative. */
function compileSandbox(): string {
  const ajv = new Ajv({ ...compilation, allErrors: true, verbose: true });
  ajv.addVocabulary(customMessages);
  const files = {
    seed: readSchema('seed.schema.json'),
    faults: readSchema('faults.schema.json', sandboxFolder),
  };
  for (const [name, schema] of Object.entries(files)) {
    const whole = standalone(omit(schema, ['definitions', '$id']), child(schema, 'definitions'));
    ajv.addSchema(without(whole, prose) as Schema, name);
  }
  return printed(ajv, Object.keys(files));
}

function printed(ajv: Ajv, names: readonly string[]): string {
  const print = standaloneModule as unknown as typeof standaloneModule.default;
  const code = print(ajv, Object.fromEntries(names.map((name) => [name, name])));
  if (/\brequire\(|^import /m.test(code)) throw new Error('the validators must not load anything');
  return code;
}

function declareValidators(): string {
  const all = Object.keys(validators);
  return [
    "import type { Validator } from '../schema-messages.js';",
    ...all.map((name) => `export declare const ${name}: Validator;`),
    'export declare const sections: Readonly<Record<string, Validator>>;',
    'export declare const propertyNames: Readonly<Record<string, readonly string[]>>;',
    '/** By section and property: the defaults that do not apply to an entry with this property. */',
    'export declare const excludedDefaults: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;',
    'export declare const settingNames: readonly string[];',
    '/** What an address may begin with: the names of kinds, and of what only the service knows (agents). */',
    'export declare const addressPrefixes: readonly string[];',
    '/** Those of them that are not declared in manifests. */',
    'export declare const externalPrefixes: readonly string[];',
    '',
  ].join('\n');
}

/** Editors show the reason for a property that is `false` if it is beside `properties`, validators if it is at the property. */
function withReasons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReasons);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withReasons(each)]));
  const { properties, errorMessage } = copy;
  if (typeof properties !== 'object' || properties === null || errorMessage === undefined) return copy;
  const reasoned = Object.entries(properties).map(([name, each]) => [
    name,
    each === false ? { not: {}, errorMessage } : each,
  ]);
  return { ...copy, properties: Object.fromEntries(reasoned) as Schema };
}

/** The strict form of a published schema: the alternative "text with a variable in it", which is for editors, goes. */
function withoutVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVariables);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutVariables(each)]));
  const alternatives = copy['anyOf'];
  if (!Array.isArray(alternatives) || !alternatives.some(isVariable)) return copy;
  const [only, ...others] = alternatives.filter((each) => !isVariable(each));
  if (others.length > 0) throw new Error('a value with a variable has one other alternative');
  return { ...omit(copy, ['anyOf']), ...(only as Schema) };
}

/**
 * The schema with each `$ref` replaced by what it refers to. What stands beside it wins, as in editors. With `kept`, an
 * object that has nothing beside its `$ref` stays a reference, and its definition is put there.
 */
function standalone(schema: Schema, among: Schema, kept: Schema | null = null): Schema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Schema;
    const own = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, visit(each)]));
    if (typeof $ref !== 'string') return own;
    const path = $ref.replace('#/definitions/', '');
    const definition = path.split('/').reduce(child, among);
    const isAlone = Object.keys(omit(rest, prose)).length === 0;
    if (kept === null || !isAlone || isScalar(definition))
      return { ...(visit(definition) as Schema), ...own };
    const name = path.replaceAll('/', '.');
    if (!Object.hasOwn(kept, name)) {
      // A definition may refer to itself.
      kept[name] = {};
      kept[name] = visit(definition);
    }
    return { $ref: `#/definitions/${name}` };
  };
  return visit(schema) as Schema;
}

/** What defaults may provide is required once they are merged, and not where editors look: `loaderDependencies`. */
function withLoaderRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLoaderRules);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key === 'loaderDependencies' ? 'dependencies' : key,
      withLoaderRules(each),
    ]),
  );
}

/** The schema without some keywords; properties of those names stay. */
function without(value: unknown, keywords: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, keywords));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !keywords.includes(key));
  return Object.fromEntries(
    kept.map(([key, each]) => [
      key,
      key === 'properties' ? withoutInEach(each, keywords) : without(each, keywords),
    ]),
  );
}

function withoutInEach(properties: unknown, keywords: readonly string[]): Schema {
  const entries = Object.entries(properties as Schema);
  return Object.fromEntries(entries.map(([key, each]) => [key, without(each, keywords)]));
}

function isVariable(schema: unknown): boolean {
  return variables.includes(String((schema as Schema)['$ref']));
}

function readSchema(name: string, folder = schemas): Schema {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Schema;
}

function child(schema: Schema, key: string): Schema {
  const value = schema[key];
  if (typeof value !== 'object' || value === null) throw new Error(`the schema has no ${key}`);
  return value as Schema;
}

function omit(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function write(name: string, text: string, folder = generated): void {
  writeFileSync(fileURLToPath(new URL(name, folder)), banner + text);
}
