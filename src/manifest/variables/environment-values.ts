import type { DiagnosticCode } from '../../model/diagnostic.js';
import { limits } from '../limits.js';

/** Why a variable cannot be used. */
export interface EnvironmentFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly help: string;
}

/** Whoever opens a pull request chooses some of these values: its branch, its title. Others are keys of CI. */
const reserved = /^(ROSTER_|CI|GITHUB_|GH_|GIT_|GITLAB_|ACTIONS_|RUNNER_)/i;

/** The environment that `${env.NAME}` reads, and what was read from it. */
export class EnvironmentValues {
  private readonly known = new Map<string, string | EnvironmentFault>();
  private readonly used = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** Every value that was used so far: nothing that is printed may contain one. */
  get secrets(): string[] {
    return [...this.used];
  }

  /** Looked up once: the environment of a process makes a new copy each time. */
  use(name: string): string | EnvironmentFault {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const found = this.find(name);
    this.known.set(name, found);
    if (typeof found === 'string') this.used.add(found);
    return found;
  }

  private find(name: string): string | EnvironmentFault {
    if (reserved.test(name))
      return {
        code: 'misplaced-variable',
        message: `the environment variable ${name} cannot be used in a manifest`,
        help: 'Names that begin with `ROSTER_`, `CI`, `GITHUB_`, `GH_`, `GIT_`, `GITLAB_`, `ACTIONS_` or `RUNNER_` are reserved: they hold settings and keys of roster, git and CI, or what the author of a pull request chooses, such as its branch name. To use a CI value, pass it under another name.',
      };
    const value = Object.hasOwn(this.env, name) ? this.env[name] : undefined;
    if (value !== undefined && value.length > limits.text) return tooLong(name);
    if (value !== undefined && value !== '') return value;
    return {
      code: 'missing-environment-variable',
      message: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
      help: `Set ${name} where roster runs. In CI, pass it to the step.`,
    };
  }
}

function tooLong(name: string): EnvironmentFault {
  return {
    code: 'limit-exceeded',
    message: `the environment variable ${name} is longer than ${limits.text} characters`,
    help: 'Use a shorter value.',
  };
}

/** What a value costs, in steps: the exact length of a secret must not decide whether a project is accepted. */
export function environmentCost(value: string): number {
  return Math.ceil(value.length / STEP) * (STEP >> 4);
}

const STEP = 256;
