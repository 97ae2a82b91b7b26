import { _, Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js';
import type { Diagnostic, Place } from '../model/diagnostic.js';
import { isMultiple } from '../model/exact-number.js';
import { Glob } from '../model/glob.js';
import { byCodeUnit, canonical, type Json, type JsonObject } from '../model/json.js';
import { appliesIn, type Breach, type BrokenPolicy, type Policy } from '../model/policy.js';
import type { PolicyException } from '../model/policy-exception.js';
import type { Address } from '../model/resource.js';
import { explain } from './failures.js';
import { ADDRESS_STEPS, KEYWORD_STEPS, policyLimits } from './limits.js';
import { Patterns } from './patterns.js';
import { type ExpandedSchema, expandSchema, FaultySchema, valuesIn } from './schema.js';

/** An entry as `roster render --format json` prints it. */
export interface JudgedEntry {
  readonly address: Address;
  readonly properties: JsonObject;
  /** Where the manifest has a value of it, or the closest thing around it. */
  placeOf(path: readonly (string | number)[]): Place;
}

export interface Judgement {
  /** What is wrong with the policies themselves. */
  readonly diagnostics: readonly Diagnostic[];
  readonly broken: readonly BrokenPolicy[];
  /** Those that match no entry that breaks their policy. */
  readonly unneeded: readonly UnneededException[];
}

export interface UnneededException {
  readonly policy: Policy;
  readonly exception: PolicyException;
}

interface JudgedPolicy {
  readonly found: BrokenPolicy;
  readonly unneeded: readonly PolicyException[];
}

/** A schema that is compiled when the first entry is judged by it. */
interface CompiledPolicy extends ExpandedSchema {
  /** Stops at the first failure. */
  accepts?: Validate;
  /** Collects all failures. */
  explains?: Validate;
}

interface Validate {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

class TooManySteps extends Error {}

/** One for all policies without exceptions: there may be very many. */
const noExceptions = new Map<Address, PolicyException>();

/**
 * Judges entries by policies. It counts what that costs and gives up where it is too much; never by the time, so that the
 * result is the same on every machine. A judge may be used for several environments: what it compiled is kept.
 */
export class PolicyJudge {
  private readonly rules = new Map<string, CompiledPolicy | Diagnostic>();
  private readonly patterns = new Patterns({ spend: (steps) => this.spend(steps) });
  private readonly firstFailure = createAjv(this.patterns, false);
  private readonly allFailures = createAjv(this.patterns, true);
  private parts = 0;
  private left = 0;
  private told = 0;

  judge(policies: readonly Policy[], entries: readonly JudgedEntry[], environment: string | null): Judgement {
    this.told = 0;
    this.left = policyLimits.steps + policyLimits.stepsPerEntry * entries.length;
    const sizes = entries.map(({ properties }) => 1 + valuesIn(properties));
    const diagnostics: Diagnostic[] = [];
    const broken: BrokenPolicy[] = [];
    const unneeded: UnneededException[] = [];
    for (const policy of policies) {
      const rule = this.ruleOf(policy);
      if ('severity' in rule) diagnostics.push(rule);
      else if (appliesIn(policy, environment)) {
        const judged = this.byPolicy(policy, rule, { entries, sizes });
        if ('severity' in judged) return { diagnostics: [...diagnostics, judged], broken, unneeded: [] };
        if (judged.found.breaches.length > 0) broken.push(judged.found);
        for (const exception of judged.unneeded) unneeded.push({ policy, exception });
      }
    }
    return { diagnostics, broken, unneeded };
  }

  private byPolicy(
    policy: Policy,
    rule: CompiledPolicy,
    { entries, sizes }: { readonly entries: readonly JudgedEntry[]; readonly sizes: readonly number[] },
  ): JudgedPolicy | Diagnostic {
    const spend = (steps: number) => this.spend(ADDRESS_STEPS + steps);
    const globs = policy.match.map((pattern) => new Glob(pattern, { crossing: true, spend }));
    const breaches: Breach[] = [];
    const addresses: Address[] = [];
    const needed = new Set<PolicyException>();
    const exceptionOf = policy.exceptions.length === 0 ? null : exceptionFinder(policy, spend, needed);
    const exceptions = exceptionOf === null ? noExceptions : new Map<Address, PolicyException>();
    try {
      for (const [index, entry] of entries.entries()) {
        if (!globs.some((glob) => glob.matches(entry.address))) continue;
        this.spend(KEYWORD_STEPS * (rule.once + rule.each * (sizes[index] ?? 1)));
        rule.accepts ??= compile(this.firstFailure, rule);
        if (rule.accepts(entry.properties)) continue;
        const first = rule.accepts.errors ?? [];
        addresses.push(entry.address);
        const exception = exceptionOf?.(entry.address) ?? null;
        if (exception !== null) exceptions.set(entry.address, exception);
        // However many are excepted, others are told.
        const number = exception === null ? addresses.length - exceptions.size : exceptions.size;
        if (!this.isTold(number)) continue;
        breaches.push(...breachesOf(entry, this.failuresIn(entry, rule) ?? first, rule.schema));
      }
    } catch (failure) {
      if (failure instanceof TooManySteps) return tooManySteps(policy);
      if (failure instanceof TypeError) return notChecked(policy);
      throw failure;
    }
    const unneeded = policy.exceptions.filter((each) => !needed.has(each));
    return { found: { policy, breaches, addresses, exceptions }, unneeded };
  }

  /** The first is, whatever the policy. */
  private isTold(number: number): boolean {
    const { told, allTold } = policyLimits;
    if (number > 1 && (number > told || this.told >= allTold)) return false;
    this.told += 1;
    return true;
  }

  /** All failures of an entry that is not accepted; null over some schemas for which ajv writes code that breaks down. */
  private failuresIn({ properties }: JudgedEntry, rule: CompiledPolicy): readonly ErrorObject[] | null {
    try {
      rule.explains ??= compile(this.allFailures, rule);
      return rule.explains(properties) ? null : (rule.explains.errors ?? null);
    } catch (failure) {
      if (!(failure instanceof TypeError)) throw failure;
      return null;
    }
  }

  private ruleOf(policy: Policy): CompiledPolicy | Diagnostic {
    const key = canonical(policy.require);
    const known = this.rules.get(key);
    if (known !== undefined) return known;
    const made = this.prepare(policy);
    this.rules.set(key, made);
    return made;
  }

  private prepare({ require, placeOf, place }: Policy): CompiledPolicy | Diagnostic {
    try {
      const expanded = expandSchema(require);
      for (const { pattern, path } of expanded.patterns) this.patterns.add(pattern, path);
      this.parts += expanded.parts;
      if (this.parts <= policyLimits.allParts) return expanded;
      const message = `the policies have more than ${policyLimits.allParts} schemas and keywords`;
      return { severity: 'error', code: 'limit-exceeded', message, place };
    } catch (failure) {
      if (!(failure instanceof FaultySchema)) throw failure;
      const { path, ...said } = failure.fault;
      return { severity: 'error', ...said, place: placeOf(['require', ...path]) };
    }
  }

  private spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooManySteps();
  }
}

/**
 * Finds the exception of an entry that ends last. Its patterns are read when the first entry breaks the policy. All that
 * match are `needed`.
 */
function exceptionFinder(
  { exceptions }: Policy,
  spend: (steps: number) => void,
  needed: Set<PolicyException>,
): (address: Address) => PolicyException | null {
  let read: { readonly exception: PolicyException; readonly globs: readonly Glob[] }[] | null = null;
  return (address) => {
    read ??= exceptions
      .toSorted((a, b) => byCodeUnit(b.until, a.until))
      .map((exception) => ({
        exception,
        globs: exception.match.map((pattern) => new Glob(pattern, { crossing: true, spend })),
      }));
    const matching = read.filter(({ globs }) => globs.some((glob) => glob.matches(address)));
    for (const { exception } of matching) needed.add(exception);
    return matching[0]?.exception ?? null;
  };
}

function createAjv(patterns: Patterns, allErrors: boolean): Ajv2020 {
  const engine = Object.assign((pattern: string) => patterns.get(pattern), { code: 'patterns' });
  const ajv = new Ajv2020({
    // The JSON Schema of policies has checked them.
    meta: false,
    validateSchema: false,
    strict: false,
    allErrors,
    messages: false,
    ownProperties: true,
    addUsedSchema: false,
    logger: false,
    code: { regExp: engine, optimize: false },
  });
  // That of ajv compares every item with every other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, list: readonly Json[]) =>
      !isAsked || new Set(list.map(canonical)).size === list.length,
  });
  // That of ajv divides doubles: to it, 19.99 is no multiple of 0.01.
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (divisor: number, value: number) => isMultiple(String(value), String(divisor)),
    error: { message: 'no multiple', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  });
  return ajv;
}

/** Of an entry that `each` has made, the entry. */
function breachesOf(entry: JudgedEntry, errors: readonly ErrorObject[], schema: Json): Breach[] {
  const { address, properties } = entry;
  const whole = entry.placeOf([]);
  return explain(errors, properties, schema).map(({ path, what }) => ({
    address,
    place: whole.each === undefined && path.length > 0 ? entry.placeOf(path) : whole,
    what,
  }));
}

/**
 * Only these keywords need to know which parts of a value the others have looked at. The code that ajv writes to find out
 * breaks down over some schemas.
 */
function compile(ajv: Ajv2020, { schema }: ExpandedSchema): Validate {
  ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
  return ajv.compile(schema as AnySchema);
}

function notChecked({ name, place }: Policy): Diagnostic {
  const message = `the policy \`${name}\` cannot be checked: it combines \`unevaluatedProperties\` or \`unevaluatedItems\` with other keywords in a way that is not supported`;
  const help = 'Use `additionalProperties` or `items` instead.';
  return { severity: 'error', code: 'schema', message, place, help };
}

function tooManySteps({ name, place }: Policy): Diagnostic {
  const message = `the policies take too many steps: they were judged as far as \`${name}\``;
  const help = 'Use shorter patterns, or fewer policies that match many entries.';
  return { severity: 'error', code: 'limit-exceeded', message, place, help };
}
