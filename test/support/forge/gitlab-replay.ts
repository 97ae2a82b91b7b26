import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionRecord } from '../../../src/sandbox/index.js';
import { digestIn } from './author.js';
import type { Gitlab, GitlabJob, GitlabMoment, GitlabRun } from './gitlab-pipeline.js';

/** Something of a job that is left out. */
export interface GitlabMutant {
  readonly name: string;
  readonly job: string;
  readonly changed: GitlabJob;
}

/** The install, the command, each artifact, the environment and the dependencies left out. The rules are a matter of `gitlab-rules.ts`. */
export function gitlabMutants(jobs: Readonly<Record<string, GitlabJob>>): readonly GitlabMutant[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    const change = (what: string, changed: GitlabJob) => ({
      name: `${name}: without ${what}`,
      job: name,
      changed,
    });
    const { artifacts, needs, environment, variables, ...rest } = job;
    const own = {
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(needs === undefined ? {} : { needs }),
      ...(environment === undefined ? {} : { environment }),
      ...(variables === undefined ? {} : { variables }),
    };
    const without = (key: keyof typeof own): readonly GitlabMutant[] => {
      const { [key]: left, ...others } = own;
      return left === undefined ? [] : [change(key, { ...rest, ...others })];
    };
    const { reports, paths = [] } = artifacts ?? {};
    return [
      change('before_script', { ...job, before_script: 'true' }),
      change('script', { ...job, script: 'true' }),
      ...(['needs', 'environment', 'variables'] as const).flatMap(without),
      ...(paths.length === 0
        ? []
        : [change('artifacts', { ...job, artifacts: { ...artifacts, paths: [] } })]),
      ...(reports === undefined ? [] : [change('the report', { ...job, artifacts: { paths } })]),
    ];
  });
}

/** Tries the mutants of a job each time when it runs, and puts everything back afterwards. */
export class GitlabReplay {
  readonly unnoticed: Set<GitlabMutant>;

  constructor(
    private readonly gitlab: Gitlab,
    private readonly groups: Map<string, CollectionRecord>,
    mutants: readonly GitlabMutant[],
  ) {
    this.unnoticed = new Set(mutants);
  }

  async around(moment: GitlabMoment): Promise<GitlabRun> {
    const mutants = [...this.unnoticed].filter(({ job }) => job === moment.name);
    if (mutants.length === 0) return moment.run();
    const before = this.save(moment);
    const run = await moment.run();
    const expected = this.seen(run, moment);
    const after = this.save(moment);
    for (const mutant of mutants) {
      before();
      if (this.seen(await moment.run(mutant.changed), moment) !== expected) this.unnoticed.delete(mutant);
    }
    after();
    return run;
  }

  private save({ folder }: GitlabMoment): () => void {
    const restores = [
      this.gitlab.remote.save(),
      this.gitlab.api.save(),
      saveFolder(folder, this.gitlab.remote.root),
    ];
    const saved = structuredClone(this.groups);
    return () => {
      for (const restore of restores) restore();
      this.groups.clear();
      for (const [id, group] of structuredClone(saved)) this.groups.set(id, group);
    };
  }

  /** What a team sees. */
  private seen({ result, report }: GitlabRun, { folder }: GitlabMoment): string {
    const { api, remote } = this.gitlab;
    const branches = remote.git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n');
    return JSON.stringify({
      result,
      report,
      artifacts: readdirSync(folder, { recursive: true }).sort(),
      notes: api.mergeRequests.map(({ notes }) =>
        notes.map(({ body }) => [...body.split('\n').slice(1, 6), digestIn(body)]),
      ),
      issues: api.issues.map(({ title, state, notes }) => [title, state, notes.length]),
      commits: branches.map((each) => [each, remote.git('rev-list', '--count', each)]),
      hasEmptySnapshot: branches.some((each) =>
        / 0\troster\.snapshot\.json/.test(remote.git('ls-tree', '--long', each)),
      ),
      proposed: this.gitlab.pushed().map((options) => options.slice(0, 3)),
      groups: [...this.groups.values()].map(({ name, description }) => [name, description]),
    });
  }
}

function saveFolder(folder: string, within: string): () => void {
  const saved = mkdtempSync(join(within, 'saved-'));
  cpSync(folder, saved, { recursive: true });
  return () => {
    rmSync(folder, { recursive: true });
    cpSync(saved, folder, { recursive: true });
  };
}
