import { expect } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { saveWorld } from '../sandbox.js';
import { Author, digestIn } from './author.js';
import { Github, type JobRun } from './github.js';

/** The results of the jobs of a pull request, of a push that is applied, and of one that is not. */
export const shown = { validate: 'success', 'plan/plan': 'success', show: 'success' };
export const applied = { 'apply/plan': 'success', apply: 'success', drift: 'success' };
export const refused = { 'apply/plan': 'failure', apply: 'skipped', drift: 'success' };

/** A project that declares one group. */
export const shops = (members: string) => `groups:\n  shops:\n    name: Shops\n    members: [${members}]\n`;

/**
 * By job. Leaves out what an event never starts: the validation after a push, the plan after anything but a validation, and
 * the job `pull`, unless it was asked for.
 */
export function results(runs: readonly JobRun[]): Record<string, string> {
  const isPull = runs.some(({ job, result }) => job === 'validate' && result !== 'skipped');
  const isApply = runs.some((each) => nameOf(each).startsWith('apply/plan') && each.result !== 'skipped');
  const shownRuns = runs.filter(({ workflow, job, result }) => {
    if (result !== 'skipped') return true;
    if (/-plan$/.test(workflow)) return isPull;
    return job === 'apply' && isApply;
  });
  return Object.fromEntries(shownRuns.map((each) => [nameOf(each), each.result]));
}

export function the(job: string, runs: readonly JobRun[]): JobRun {
  const found = runs.find((each) => nameOf(each) === job);
  if (found === undefined) throw new Error(`${job} did not run`);
  return found;
}

/** Two workflows have a job `plan`. */
function nameOf({ workflow, job, environment }: JobRun): string {
  const name = job === 'plan' ? `${/-plan$/.test(workflow) ? 'plan' : 'apply'}/plan` : job;
  return environment === '' ? name : `${name} (${environment})`;
}

interface TeamOptions {
  readonly hasUrl?: boolean;
  readonly tarball?: string;
  /** The folder of the project. */
  readonly inside?: string;
}

/** A team with a service, and with the workflows of `roster init` in a repository on GitHub. */
export class GithubTeam {
  constructor(
    readonly sandbox: Sandbox,
    readonly github: Github,
    readonly author: Author,
  ) {}

  /** A team that has a snapshot, as after a first night. */
  static async withSnapshot(): Promise<GithubTeam> {
    const team = await GithubTeam.start();
    await team.saveSnapshot();
    return team;
  }

  /** `flags` are those of `roster init`, and `tarball` a real one of roster, for the real npm. */
  static async start(
    flags: readonly string[] = [],
    { hasUrl = true, tarball, inside = '.' }: TeamOptions = {},
  ): Promise<GithubTeam> {
    const sandbox = await startSandbox();
    const vars = hasUrl ? { ROSTER_URL: sandbox.url } : {};
    const github = new Github({ ROSTER_API_KEY: sandbox.apiKey }, vars);
    await github.api.listen();
    const author = new Author(github.remote, inside);
    await author.init('github', flags, tarball);
    github.options.realNpm = tarball !== undefined;
    return new GithubTeam(sandbox, github, author);
  }

  /** As the nightly run does. */
  async saveSnapshot(): Promise<void> {
    expect(results(await this.github.schedule())).toEqual({ drift: 'success' });
  }

  /** A pull request with its plan. */
  async propose(branch: string, declared: string, options = {}): Promise<number> {
    this.author.propose(branch, declared);
    const number = this.github.openPull(branch, options);
    const runs = await this.github.pullRequest(number);
    expect(results(runs), runs.map(({ log }) => log).join('\n')).toEqual(shown);
    return number;
  }

  /** A pull request with its plan, merged and applied. */
  async release(branch: string, declared: string): Promise<void> {
    this.github.merge(await this.propose(branch, declared));
    expect(results(await this.github.push())).toEqual(applied);
  }

  /** The push to main applies nothing. Returns the digest of its plan. */
  async isRefused(): Promise<string> {
    const before = structuredClone(this.sandbox.world.groups);
    const runs = await this.github.push();
    expect(results(runs)).toEqual(refused);
    const { log, summary } = the('apply/plan', runs);
    expect(log).toContain('No pull request showed this plan before it was merged');
    expect(this.sandbox.world.groups).toEqual(before);
    const planned = digestIn(summary) ?? '';
    expect(log).toMatch(new RegExp(`^::error .*manually with its digest, ${planned}$`, 'm'));
    return planned;
  }

  async remove(): Promise<void> {
    this.github.remove();
    await this.sandbox.close();
  }
}

/**
 * A repository and its services as they were once. Others go on from there, one after the other: they share the services,
 * because plans name them.
 */
export class Saved {
  private constructor(
    private readonly github: Github,
    private readonly inside: string,
    private readonly restores: readonly (() => void)[],
  ) {}

  static async of(github: Github, { inside }: Author, services: readonly Sandbox[]): Promise<Saved> {
    return new Saved(await github.copy(), inside, services.map(saveWorld));
  }

  /** The next one. Who asks for it removes its GitHub. */
  async next(): Promise<{ readonly github: Github; readonly author: Author }> {
    for (const restore of this.restores) restore();
    const github = await this.github.copy();
    return { github, author: new Author(github.remote, this.inside) };
  }

  remove(): void {
    this.github.remove();
  }
}
