import type { Sandbox } from '../../../src/sandbox/index.js';

const LISTS = ['/api/scraper-agents/jobs', '/api/search-groups/runs'];

/** From now on, the only group is started as soon as `roster status` asks for runs, once, and fails. */
export function failWhenAsked(sandbox: Sandbox, message: string): void {
  for (const agent of sandbox.world.agents.values())
    agent.outcomes = [{ result: 'fail', seconds: 0, message }];
  let started: Promise<unknown> | undefined;
  sandbox.faults.intercept = async ({ method, path }, next) => {
    if (method === 'GET' && LISTS.includes(path)) {
      started ??= start(sandbox);
      await started;
    }
    await next();
  };
}

async function start(sandbox: Sandbox): Promise<void> {
  const { url, apiKey, world } = sandbox;
  const [id] = world.groups.keys();
  const headers = { 'X-Api-Key': apiKey };
  const { status } = await fetch(`${url}/api/search-groups/${id}/run`, { method: 'POST', headers });
  if (status >= 300) throw new Error(`the group was not started: ${status}`);
  // It takes a moment to end.
  sandbox.advance(60_000);
}
