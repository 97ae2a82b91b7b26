import { RE2JS, RE2JSException } from 're2js';
import { patternSteps, policyLimits } from './limits.js';
import { FaultySchema, type SchemaPath } from './schema.js';

/** Counts what patterns cost. `spend` throws once it is too much. */
export interface Spending {
  spend(steps: number): void;
}

/** What ajv needs of a regular expression. */
export interface Pattern {
  test(text: string): boolean;
  /** ajv keeps one of each. */
  toString(): string;
}

/** Patterns in the syntax of RE2, which match in linear time whatever they are: those of policies may be written to cost time. */
export class Patterns {
  private readonly known = new Map<string, Pattern>();
  private program = 0;

  constructor(private readonly spending: Spending) {}

  /** Throws a FaultySchema for what is no pattern. */
  add(pattern: string, path: SchemaPath): void {
    if (this.known.has(pattern)) return;
    if (pattern.length > policyLimits.pattern) {
      const message = `the pattern is longer than ${policyLimits.pattern} characters`;
      throw new FaultySchema({ code: 'limit-exceeded', path, message });
    }
    const compiled = compile(pattern, path);
    this.program += compiled.programSize();
    if (this.program > policyLimits.program) {
      const message = `the patterns of all policies have more than ${policyLimits.program} instructions`;
      const help = 'Use smaller numbers in `{…}`, or fewer patterns.';
      throw new FaultySchema({ code: 'limit-exceeded', path, message, help });
    }
    this.known.set(pattern, counted(pattern, compiled, this.spending));
  }

  get(pattern: string): Pattern {
    const found = this.known.get(pattern);
    if (found === undefined) throw new Error(`the pattern ${pattern} was not added`);
    return found;
  }
}

function compile(pattern: string, path: SchemaPath): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (failure) {
    if (!(failure instanceof RE2JSException)) throw failure;
    const why = failure.message.replace(/^error parsing regexp: /, '');
    const message = `the pattern is not a regular expression: ${why}`;
    const help = 'Patterns have the syntax of RE2, which has no look-ahead, look-behind and back-references.';
    throw new FaultySchema({ code: 'schema', path, message, help });
  }
}

function counted(pattern: string, compiled: RE2JS, spending: Spending): Pattern {
  const steps = patternSteps(compiled.programSize());
  return {
    test(text) {
      spending.spend(steps * (text.length + 1));
      return compiled.test(text);
    },
    toString: () => pattern,
  };
}
