// GitLab API calls for the jobs of .gitlab/roster.yml: the note with the plan, the reviewed digest, the issue about drift.
// Needs only Node.
import { readFileSync } from 'node:fs';

const { CI_API_V4_URL, CI_PROJECT_ID, CI_JOB_URL, CI_PIPELINE_SOURCE } = process.env;
const project = `projects/${CI_PROJECT_ID}`;

/** Posts the plan as a note on the merge request, or updates the existing note. */
async function note(planFile) {
  const plan = readFileSync(planFile, 'utf8');
  const notes = `${project}/merge_requests/${process.env.CI_MERGE_REQUEST_IID}/notes`;
  const known = await ours(await all(notes), firstLine(plan), 'body');
  if (known === undefined) await send('POST', notes, { body: plan });
  else await send('PUT', `${notes}/${known.id}`, { body: plan });
}

/** Prints the digest to apply: ROSTER_DIGEST in a manual run, else the digest that the merge request showed when it was merged. */
async function reviewed(planFile, jsonFile) {
  const plan = JSON.parse(readFileSync(jsonFile, 'utf8'));
  const digest = await reviewedDigest(firstLine(readFileSync(planFile, 'utf8')), plan);
  if (/^sha256:[0-9a-f]{64}$/.test(digest ?? '')) {
    console.log(digest);
    if (digest === plan.digest) return;
    console.error(`The plan above is not the reviewed one, ${digest}, so apply will refuse it.`);
  } else {
    console.error(
      'There is no reviewed plan for this commit, so nothing was changed: no merge request was merged',
    );
    console.error('as this commit, or it showed no plan when it was merged.');
    process.exitCode = 1;
  }
  console.error('Review the plan above, then run a pipeline of this branch manually with the variable');
  console.error(`ROSTER_DIGEST=${plan.digest}`);
}

async function reviewedDigest(marker, plan) {
  if (CI_PIPELINE_SOURCE === 'web' && process.env.ROSTER_DIGEST) return process.env.ROSTER_DIGEST;
  if (plan.changes.length === 0) return plan.digest; // Nothing to review.
  const commit = process.env.CI_COMMIT_SHA;
  const requests = await all(`${project}/repository/commits/${commit}/merge_requests`);
  const merged = requests.find(
    (each) =>
      each.state === 'merged' && [each.merge_commit_sha, each.squash_commit_sha, each.sha].includes(commit),
  );
  if (merged === undefined) return undefined;
  const notes = await all(`${project}/merge_requests/${merged.iid}/notes`);
  // Ignore notes that were edited after the merge: nobody reviewed them.
  const known = notes.filter((each) => Date.parse(each.updated_at) <= Date.parse(merged.merged_at));
  const line = (await ours(known, marker, 'body'))?.body.split('\n')[1] ?? '';
  return /Digest `(sha256:[0-9a-f]{64})`/.exec(line)?.[1];
}

/** Keeps one issue open while there is drift. */
async function drift(textFile, code) {
  const marker = '<!-- roster-drift -->';
  const issues = `${project}/issues`;
  const known = await ours(await all(`${issues}?state=opened&labels=roster-drift`), marker, 'description');
  if (code === '2') {
    // Four spaces make every line code.
    const text = readFileSync(textFile, 'utf8').split('\n').slice(0, 400).join('\n    ');
    const description = `${marker}\nThe service was changed outside roster since the last apply. The next apply reverts these changes. To keep them, add them to the manifests. Found by ${CI_JOB_URL}\n\n    ${text}\n`;
    if (known !== undefined) await send('PUT', `${issues}/${known.iid}`, { description });
    else await send('POST', issues, { title: 'Changed outside roster', labels: 'roster-drift', description });
  } else if (known !== undefined) {
    await send('POST', `${issues}/${known.iid}/notes`, {
      body: `Resolved, according to ${CI_JOB_URL}`,
    });
    await send('PUT', `${issues}/${known.iid}`, { state_event: 'close' });
  }
}

/** The item that the token's own user has written, found by the hidden marker in its first line. */
async function ours(list, marker, property) {
  const me = await send('GET', 'user');
  return list.find((each) => each.author.id === me.id && each[property]?.startsWith(marker));
}

async function all(path) {
  const list = [];
  for (let page = 1; ; page += 1) {
    const items = await send('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`);
    list.push(...items);
    if (items.length < 100) return list;
  }
}

async function send(method, path, body) {
  const response = await fetch(`${CI_API_V4_URL}/${path}`, {
    method,
    redirect: 'error',
    headers: { 'PRIVATE-TOKEN': process.env.ROSTER_GITLAB_TOKEN ?? '', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    const help = [401, 403].includes(response.status) ? ': check the permissions of ROSTER_GITLAB_TOKEN' : '';
    throw new Error(`${method} ${path}: GitLab responded with ${response.status}${help}`);
  }
  return response.json();
}

function firstLine(text) {
  return text.slice(0, text.indexOf('\n'));
}

const commands = { note, reviewed, drift };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
