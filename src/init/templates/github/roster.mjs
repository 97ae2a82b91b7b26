// GitHub API calls of the workflows roster-*.yml: which pull request to plan, the comment and the check with its plan,
// whether a plan was reviewed, and the issue about drift. Needs only Node and git.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_RUN_ID, GITHUB_SHA } = process.env;
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
const defaultBranch = event.repository?.default_branch;

/** Outputs the open pull request into the default branch that was validated, and the run that saved the snapshot. */
async function find() {
  const { head_sha: head, head_branch: branch, head_repository: from } = event.workflow_run;
  const query = new URLSearchParams({
    state: 'open',
    base: defaultBranch,
    head: `${from.owner.login}:${branch}`,
  });
  const pull = (await send('GET', `pulls?${query}`)).find((each) => each.head.sha === head);
  if (pull === undefined) {
    console.log(
      `${head} is not the last commit of an open pull request into ${defaultBranch}: nothing to plan.`,
    );
    return;
  }
  output('number', pull.number);
  const events = ['schedule', 'workflow_run', 'workflow_dispatch'];
  for (const each of await artifacts('roster-snapshot')) {
    if (await isFrom(each, 'roster-drift.yml', events)) return output('snapshot', each.workflow_run.id);
  }
}

/** Shows the plan in a comment and a check of the pull request. Outputs the name of the record that it was shown. */
async function show(planFile) {
  const { NUMBER, DIGEST, RESULT } = process.env;
  const head = event.workflow_run.head_sha;
  const plan = readFileSync(planFile, 'utf8');
  const comments = `issues/${NUMBER}/comments`;
  const known = ours(await all(comments), firstLine(plan));
  if (known === undefined) await send('POST', comments, { body: plan });
  else await send('PATCH', `issues/comments/${known.id}`, { body: plan });
  await send('POST', 'check-runs', {
    name: 'roster plan',
    head_sha: head,
    status: 'completed',
    conclusion: RESULT === 'success' ? 'success' : 'failure',
    details_url: run,
    output: { title: DIGEST, summary: plan },
  });
  output('record', recordOf(head, DIGEST));
}

/** Fails unless the plan was reviewed: its digest was given by hand, or its pull request showed it before the merge. */
async function reviewed() {
  const { PLANNED, HAS_CHANGES, ASKED } = process.env;
  if (HAS_CHANGES === 'false' || ASKED === PLANNED) return;
  if (!ASKED && (await wasShown(PLANNED))) return;
  const why = ASKED
    ? 'The plan is not the one with the given digest'
    : 'No pull request showed this plan before it was merged as this commit';
  console.log(
    `::error title=Not the reviewed plan, nothing was changed::${why}. Review the plan in the summary of this run, then run this workflow manually with its digest, ${PLANNED}`,
  );
  process.exitCode = 1;
}

async function wasShown(digest) {
  const pulls = await send('GET', `commits/${GITHUB_SHA}/pulls?per_page=100`);
  const pull = pulls.find(
    (each) =>
      each.merged_at !== null &&
      each.merge_commit_sha === GITHUB_SHA &&
      each.base.ref === defaultBranch &&
      each.base.repo.full_name === GITHUB_REPOSITORY,
  );
  if (pull === undefined || !isMergeOf(pull)) return false;
  for (const each of await artifacts(recordOf(pull.head.sha, digest))) {
    // A plan that was shown in the second of the merge was not reviewed.
    const inTime = Date.parse(each.created_at) < Date.parse(pull.merged_at);
    if (inTime && (await isFrom(each, 'roster-plan.yml', ['workflow_run']))) return true;
  }
  return false;
}

/** Whether the pushed files are those of the merge, however it was made: by a merge, a squash or a rebase. */
function isMergeOf({ number, head }) {
  try {
    git('fetch', '--quiet', 'origin', `refs/pull/${number}/head`);
    return git('merge-tree', '--write-tree', event.before, head.sha) === git('rev-parse', 'HEAD^{tree}');
  } catch {
    return false;
  }
}

function recordOf(head, digest) {
  return `roster-review-${head}-${digest.replace('sha256:', '')}`;
}

/** Newest first. */
async function artifacts(name) {
  const list = (await send('GET', `actions/artifacts?name=${name}&per_page=100`)).artifacts;
  return list
    .filter((each) => !each.expired)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/**
 * Whether the default branch's version of a workflow made the artifact. Workflows of other branches can upload artifacts
 * of any name, but GitHub records which workflow it was, and runs `workflow_run` and `schedule` from the default branch only.
 */
async function isFrom(artifact, file, events) {
  const made = await send('GET', `actions/runs/${artifact.workflow_run.id}`);
  return (
    made.path.split('@')[0] === `.github/workflows/${file}` &&
    events.includes(made.event) &&
    made.head_branch === defaultBranch &&
    made.head_repository.full_name === GITHUB_REPOSITORY
  );
}

/** Keeps one issue of the project and environment open while there is drift. */
async function drift(textFile, jsonFile, code) {
  const { project, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  const marker = `<!-- roster-drift:${project}:${environment ?? ''} -->`;
  const known = ours(await all('issues?state=open&labels=roster-drift'), marker);
  if (code === '2') {
    // Four spaces make every line code. Issues are limited to 65,536 characters.
    const text = readFileSync(textFile, 'utf8').split('\n').slice(0, 400).join('\n    ').slice(0, 60_000);
    const body = `${marker}\nThe service was changed outside roster since the last apply. The next apply reverts these changes. To keep them, add them to the manifests. Found by ${run}\n\n    ${text}\n`;
    const title = `Changed outside roster: ${project}${environment === null ? '' : ` (${environment})`}`;
    if (known !== undefined) await send('PATCH', `issues/${known.number}`, { body });
    else await send('POST', 'issues', { title, labels: ['roster-drift'], body });
  } else if (known !== undefined) {
    await send('POST', `issues/${known.number}/comments`, { body: `Resolved, according to ${run}` });
    await send('PATCH', `issues/${known.number}`, { state: 'closed' });
  }
}

/** The comment or issue that workflows have written, found by the hidden marker in its first line. */
function ours(list, marker) {
  return list.find((each) => each.user.login === 'github-actions[bot]' && each.body?.startsWith(marker));
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
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${path}`, {
    method,
    redirect: 'error',
    headers: { Authorization: `Bearer ${process.env.GH_TOKEN}`, Accept: 'application/vnd.github+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: GitHub responded with ${response.status}`);
  return response.json();
}

function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

function output(name, value) {
  appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

function firstLine(text) {
  return text.slice(0, text.indexOf('\n'));
}

const commands = { find, show, reviewed, drift };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
