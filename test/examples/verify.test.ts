import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { Author } from '../support/forge/author.js';
import { failWhenAsked } from '../support/forge/failing-start.js';
import { Github } from '../support/forge/github.js';
import { results, shops, the } from '../support/forge/github-team.js';
import { Gitlab } from '../support/forge/gitlab-pipeline.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

/** What `roster init --verify` adds to an apply: a check of what was applied. */

/** Each of these starts dozens of processes. */
const inLongRun = test.runIf(isLong);

let sandboxes: readonly [staging: Sandbox, production: Sandbox];
beforeEach(async () => {
  sandboxes = await Promise.all([startSandbox(), startSandbox()]);
});
afterEach(async () => {
  await Promise.all(sandboxes.map((each) => each.close()));
});

const names = ({ world }: Sandbox) => [...world.groups.values()].map(({ name }) => name);
const settings = ({ url, apiKey }: Sandbox) => ({ ROSTER_URL: url, ROSTER_API_KEY: apiKey });
/** In a table, or below each other. */
const shown = /^failing +group\/shops(?: .*)?\n(?: {2}failed .*\n)? +\S.* and 1 other: no response$/m;

function environmentsOf(staging: Sandbox, production: Sandbox) {
  const of = ({ url, apiKey }: Sandbox) => ({
    secrets: { ROSTER_API_KEY: apiKey },
    vars: { ROSTER_URL: url },
  });
  return {
    'roster-plan_staging': of(staging),
    staging: of(staging),
    'roster-plan_production': of(production),
    production: of(production),
  };
}

/** Proposes a group with these members, merges the pull request, and runs the jobs of the merge. */
function mergerOf(github: Github, author: Author) {
  return async (branch: string, members: string) => {
    author.propose(branch, shops(members));
    const number = github.openPull(branch);
    await github.pullRequest(number);
    github.merge(number);
    return github.push();
  };
}

inLongRun('on GitHub, production is not applied after what was applied to staging has failed', async () => {
  const [staging, production] = sandboxes;
  const github = new Github({}, {});
  github.options.environments = environmentsOf(staging, production);
  await github.api.listen();
  try {
    const author = new Author(github.remote);
    await author.init('github', ['--promote', 'staging,production', '--verify']);
    await github.schedule();
    const merge = mergerOf(github, author);
    const first = await merge('shops', 'acme-shop');
    expect(results(first)).toMatchObject({ 'apply (staging)': 'success', 'apply (production)': 'success' });
    expect(the('apply (production)', first).log).toMatch(/^never run +group\/shops /m);

    failWhenAsked(staging, 'no response');
    const second = await merge('more', 'acme-shop, globex');
    expect(results(second)).toMatchObject({
      'apply (staging)': 'failure',
      'drift (staging)': 'success',
    });
    expect(Object.keys(results(second)).filter((name) => name.includes('production'))).toEqual([]);
    const { failed, log } = the('apply (staging)', second);
    expect(failed).toEqual([expect.stringMatching(/ ci apply .* --verify$/)]);
    expect(log).toContain('Apply complete: 0 created, 1 updated');
    expect(log).toMatch(shown);
    const members = ({ world }: Sandbox) => [...world.groups.values()].map(({ agentIds }) => agentIds.length);
    expect([members(staging), members(production)]).toEqual([[2], [1]]);
  } finally {
    github.remove();
  }
});

inLongRun('on GitLab, an apply is red if what was applied has failed, again when it is retried', async () => {
  const [sandbox] = sandboxes;
  const gitlab = new Gitlab(settings(sandbox));
  await gitlab.api.listen();
  try {
    const author = new Author(gitlab.remote);
    await author.init('gitlab', ['--verify']);
    await gitlab.main('schedule');
    const push = async (branch: string, members: string) => {
      author.propose(branch, shops(members));
      const iid = gitlab.api.open(branch);
      await gitlab.mergeRequest(iid);
      gitlab.merge(iid);
      await gitlab.main('push');
    };
    await push('shops', 'acme-shop');
    const healthy = await gitlab.play('roster-apply');
    expect(healthy).toMatchObject({ result: 'success', log: expect.stringMatching(/^never run +group/m) });
    expect(names(sandbox)).toEqual(['Shops']);

    failWhenAsked(sandbox, 'no response');
    await push('more', 'acme-shop, globex');
    const red = await gitlab.play('roster-apply');
    expect(red.log).toContain('Apply complete: 0 created, 1 updated');
    expect(red).toMatchObject({ result: 'failed', log: expect.stringMatching(shown) });
    const again = await gitlab.play('roster-apply');
    expect(again).toMatchObject({ result: 'failed', log: expect.stringMatching(shown) });

    await push('refused', 'acme-shop');
    for (const group of sandbox.world.groups.values()) group.description = 'by hand';
    const stale = await gitlab.play('roster-apply');
    expect(stale.result).toBe('failed');
    expect(stale.log).toContain('error[stale-plan]');
    expect(stale.log).not.toMatch(/^(?:failing|never run) /m);
  } finally {
    gitlab.remove();
  }
});

inLongRun(
  'on GitLab, with --verify=start, what was applied is started once, and held if it fails',
  async () => {
    const [sandbox] = sandboxes;
    const gitlab = new Gitlab(settings(sandbox));
    await gitlab.api.listen();
    try {
      const author = new Author(gitlab.remote);
      await author.init('gitlab', ['--verify=start']);
      await gitlab.main('schedule');
      const apply = async (branch: string, members: string, hours: number) => {
        const often = `  often: { target: group/shops, every: ${hours} hours, startTime: 2099-01-01T00:00:00 }`;
        author.propose(branch, `${shops(members)}schedules:\n${often}\n`);
        const iid = gitlab.api.open(branch);
        await gitlab.mergeRequest(iid);
        gitlab.merge(iid);
        await gitlab.main('push');
        return gitlab.play('roster-apply');
      };
      const isEnabled = () => [...sandbox.world.schedules.values()].map((each) => each.isEnabled);
      for (const agent of sandbox.world.agents.values()) agent.outcomes = [{ seconds: 0 }];
      const healthy = await apply('shops', 'acme-shop', 2);
      expect(healthy).toMatchObject({
        result: 'success',
        log: expect.stringContaining('Run complete: 1 succeeded'),
      });
      expect([sandbox.world.jobs.size, isEnabled()]).toEqual([1, [true]]);

      for (const agent of sandbox.world.agents.values())
        agent.outcomes = [{ result: 'fail', seconds: 0, message: 'no response' }];
      const red = await apply('more', 'acme-shop, globex', 3);
      expect(red.result).toBe('failed');
      expect(red.log).toContain('Apply complete: 0 created, 2 updated');
      expect(red.log).toMatch(/^schedule\/often is held by /m);
      expect([sandbox.world.jobs.size, isEnabled()]).toEqual([3, [false]]);

      // Nothing starts the schedule on hold, or the group that only this schedule starts.
      for (const agent of sandbox.world.agents.values()) agent.outcomes = [{ seconds: 0 }];
      const again = await gitlab.play('roster-apply');
      expect(again.result).toBe('failed');
      expect(again.log).toContain('schedule/often was not run');
      expect([sandbox.world.jobs.size, isEnabled()]).toEqual([3, [false]]);
    } finally {
      gitlab.remove();
    }
  },
);

inLongRun(
  'on GitHub, with --verify=start, production is not applied after what was applied to staging ran and failed',
  async () => {
    const [staging, production] = sandboxes;
    const github = new Github({}, {});
    github.options.environments = environmentsOf(staging, production);
    await github.api.listen();
    try {
      const author = new Author(github.remote);
      await author.init('github', ['--promote', 'staging,production', '--verify=start']);
      await github.schedule();
      const merge = mergerOf(github, author);
      const outcome = (result: 'succeed' | 'fail') => {
        for (const agent of [...staging.world.agents.values(), ...production.world.agents.values()])
          agent.outcomes = [{ result, seconds: 0, message: 'no response' }];
      };
      const started = () => [staging, production].map(({ world }) => world.jobs.size);
      outcome('succeed');
      const first = await merge('shops', 'acme-shop');
      expect(results(first)).toMatchObject({ 'apply (staging)': 'success', 'apply (production)': 'success' });
      expect(started()).toEqual([1, 1]);

      outcome('fail');
      const second = await merge('more', 'acme-shop, globex');
      expect(results(second)).toMatchObject({ 'apply (staging)': 'failure' });
      expect(Object.keys(results(second)).filter((name) => name.includes('production'))).toEqual([]);
      expect(the('apply (staging)', second).log).toContain('no response');
      expect(started()).toEqual([3, 1]);
    } finally {
      github.remove();
    }
  },
);
