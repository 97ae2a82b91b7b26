import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { policyLimits } from './limits.js';

export type SchemaPath = readonly (string | number)[];

/** Why a policy cannot be used, and where in it. */
export interface SchemaFault {
  readonly code: 'schema' | 'limit-exceeded';
  readonly path: SchemaPath;
  readonly message: string;
  readonly help?: string;
}

export class FaultySchema extends Error {
  constructor(readonly fault: SchemaFault) {
    super(fault.message);
    this.name = 'FaultySchema';
  }
}

/** A schema without references, and what it costs to check a value. */
export interface ExpandedSchema {
  readonly schema: Json;
  /** Schemas and keywords. */
  readonly parts: number;
  /** Those among them, with the values they compare with, that count once for a value, and those that count for each value in it. */
  readonly once: number;
  readonly each: number;
  readonly patterns: readonly { readonly pattern: string; readonly path: SchemaPath }[];
}

/** Keywords with one schema. Those of `inside` apply to every value in the value. */
const single = ['not', 'if', 'then', 'else'];
const inside = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const maps = ['properties', 'dependentSchemas'];
const notes = ['$schema', '$comment', 'title', 'description', '$defs', '$ref'];

/**
 * Replaces references: what they refer to counts wherever they stand, so that a small file cannot ask for much work. Throws
 * a FaultySchema. The schema is one that the JSON Schema of policies accepts.
 */
export function expandSchema(require: Json): ExpandedSchema {
  const expansion = new Expansion(require);
  const schema = expansion.schema(require, { path: [], depth: 0, isInside: false, open: [] });
  const { parts, once, each, patterns } = expansion;
  return { schema, parts, once, each, patterns };
}

interface Where {
  /** From the top of the schema, as it is written. */
  readonly path: SchemaPath;
  readonly depth: number;
  /** It applies to every value in a value. */
  readonly isInside: boolean;
  /** Names of the schemas that are being replaced. */
  readonly open: readonly string[];
}

class Expansion {
  parts = 0;
  once = 0;
  each = 0;
  readonly patterns: { pattern: string; path: SchemaPath }[] = [];
  private readonly definitions: JsonObject;

  constructor(root: Json) {
    const definitions = isJsonObject(root) ? root['$defs'] : undefined;
    this.definitions = isJsonObject(definitions) ? definitions : {};
  }

  schema(value: Json, around: Where): Json {
    const where = { ...around, depth: around.depth + 1 };
    this.count(1, where);
    if (where.depth > policyLimits.depth) throw tooMuch(where, `${policyLimits.depth} levels`);
    if (!isJsonObject(value)) return value;
    const made = new Map<string, Json>();
    for (const [keyword, each] of Object.entries(value))
      if (!notes.includes(keyword)) made.set(keyword, this.keyword(keyword, each, below(where, keyword)));
    const { $ref } = value;
    if (typeof $ref === 'string') this.addReferred(made, $ref, below(where, '$ref'));
    return Object.fromEntries(made);
  }

  private keyword(keyword: string, value: Json, where: Where): Json {
    const isInside = where.isInside || inside.includes(keyword);
    const at = { ...where, isInside };
    if (keyword === 'pattern') this.patterns.push({ pattern: String(value), path: where.path });
    if (single.includes(keyword) || inside.includes(keyword)) return this.schema(value, at);
    if (lists.includes(keyword) && Array.isArray(value))
      return value.map((each: Json, index) => this.schema(each, below(at, index)));
    if (maps.includes(keyword)) return this.map(value, at);
    if (keyword === 'patternProperties') {
      for (const pattern of Object.keys(value as JsonObject))
        this.patterns.push({ pattern, path: [...where.path, pattern] });
      return this.map(value, { ...at, isInside: true });
    }
    this.count(1, at, valuesIn(value));
    return value;
  }

  private map(value: Json, where: Where): Json {
    const entries = Object.entries(value as JsonObject);
    return Object.fromEntries(entries.map(([name, each]) => [name, this.schema(each, below(where, name))]));
  }

  /** Beside a reference, other keywords hold as well. */
  private addReferred(made: Map<string, Json>, reference: string, where: Where): void {
    const name = reference.slice('#/$defs/'.length);
    const found = Object.hasOwn(this.definitions, name) ? this.definitions[name] : undefined;
    if (found === undefined) {
      const known = Object.keys(this.definitions).slice(0, 10);
      const names = known.map((each) => `\`#/$defs/${each}\``).join(', ');
      const help =
        known.length === 0 ? 'Declare it under `$defs` at the top of `require`.' : `Declared: ${names}.`;
      throw fault(where, `there is no schema \`${reference}\``, help);
    }
    if (where.open.includes(name)) {
      const help = 'Write it out as far as entries are nested.';
      throw fault(where, `the schema \`${reference}\` refers to itself`, help);
    }
    const target = this.schema(found, { ...where, path: ['$defs', name], open: [...where.open, name] });
    const others = made.get('allOf');
    made.set('allOf', [...(Array.isArray(others) ? (others as readonly Json[]) : []), target]);
  }

  /** `values` are compared with. */
  private count(parts: number, where: Where, values = 0): void {
    this.parts += parts;
    if (where.isInside) this.each += parts + values;
    else this.once += parts + values;
    if (this.parts > policyLimits.parts)
      throw tooMuch(where, `${policyLimits.parts} schemas and keywords, with what its references refer to`);
  }
}

function below(where: Where, name: string | number): Where {
  return { ...where, path: [...where.path, name] };
}

function fault({ path }: Where, message: string, help: string): FaultySchema {
  return new FaultySchema({ code: 'schema', path, message, help });
}

function tooMuch({ path }: Where, what: string): FaultySchema {
  const message = `the policy has more than ${what}`;
  return new FaultySchema({ code: 'limit-exceeded', path, message, help: 'Split it into several policies.' });
}

/** Values of a list or map, such as those of `enum`; nothing for a plain one. */
export function valuesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length >> 4 : 0;
  let size = 0;
  for (const each of Object.values(value)) size += 1 + valuesIn(each as Json);
  return size;
}
