// GitHub API calls of the workflows roster-*.yml: which pull request to plan, the comment and the check with its plan,
// whether a plan was reviewed, and the issue and the pull request about drift. Needs only Node and git.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

const { GITHUB_API_URL, GITHUB_REF, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_SHA } =
  process.env;
const { GITHUB_WORKSPACE } = process.env;
/** Set if the repository has several projects, or the project has environments: then all names include them. */
const { OF_PROJECT, OF_ENVIRONMENT } = process.env;
const ofProject = OF_PROJECT ? `-${OF_PROJECT}` : '';
const suffix = ofProject + (OF_ENVIRONMENT ? `_${OF_ENVIRONMENT}` : '');
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
const defaultBranch = event.repository?.default_branch;

/** Outputs the open pull request into the default branch that was validated, and the run that saved the snapshot. */
async function find() {
  const { head_sha: head, head_branch: branch, head_repository: from } = event.workflow_run;
  if (from === null) {
    console.log('The fork of the pull request was deleted: nothing to plan.');
    return;
  }
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
  for (const each of await artifacts(`roster-snapshot${suffix}`)) {
    if (await isSnapshot(each)) return output('snapshot', each.workflow_run.id);
  }
}

/** A push or a manual run counts if its commit is one of the default branch: a tag can have the name of that branch. */
async function isSnapshot(artifact) {
  const files = [`roster-drift${ofProject}.yml`, `roster-apply${ofProject}.yml`];
  const made = await runOf(artifact, files);
  if (made?.event === 'workflow_dispatch' || made?.event === 'push') return isOfBranch(made.head_sha);
  return made?.event === 'schedule' || made?.event === 'workflow_run';
}

/** Whether a commit is the last one of the default branch or an earlier one. */
async function isOfBranch(commit) {
  try {
    const { status } = await send('GET', `compare/${GITHUB_SHA}...${commit}`);
    return status === 'identical' || status === 'behind';
  } catch (failure) {
    // They have no common commit.
    if (failure.status === 404) return false;
    throw failure;
  }
}

/** Shows the plan in a comment and a check of the pull request. Outputs the name of the record that it was shown, if it was shown in full. */
async function show(planFile) {
  const { NUMBER, DIGEST, RESULT } = process.env;
  const head = event.workflow_run.head_sha;
  const whole = readFileSync(planFile, 'utf8');
  const isCut = whole.includes('\n> **Too long to show in full:**');
  const plan = isCut ? `${whole}\n${unreviewable}` : whole;
  const comments = `issues/${NUMBER}/comments`;
  const known = ours(await all(comments), firstLine(plan));
  if (known === undefined) await send('POST', comments, { body: plan });
  else await send('PATCH', `issues/comments/${known.id}`, { body: plan });
  await send('POST', 'check-runs', {
    name: ['roster plan', OF_PROJECT, OF_ENVIRONMENT && `(${OF_ENVIRONMENT})`].filter(Boolean).join(' '),
    head_sha: head,
    status: 'completed',
    conclusion: RESULT === 'success' ? 'success' : 'failure',
    details_url: run,
    output: { title: DIGEST || 'Errors', summary: plan },
  });
  // Without a digest there are errors instead of a plan.
  if (DIGEST && !isCut) output('record', recordOf(head, DIGEST));
}

const unreviewable = `> [!IMPORTANT]
> This plan does not count as reviewed, because it is too long for a comment. After the merge, read it in the run of "roster apply", then start that workflow manually with the digest.
`;

/**
 * Fails unless the plan was reviewed: its digest was given by hand, or its pull request showed it before the merge. A digest
 * is no proof that it was reviewed for the current files: an earlier change and its opposite have the same one.
 */
async function reviewed() {
  const { PLANNED, HAS_CHANGES, ASKED, SELECTED } = process.env;
  if (HAS_CHANGES === 'false') return;
  if (!newest()) return;
  if (SELECTED && SELECTED !== OF_ENVIRONMENT) {
    console.log(
      `::error title=Another environment comes first, nothing was changed::${OF_ENVIRONMENT} has changes left, and is applied before ${SELECTED}. Run this workflow manually for ${OF_ENVIRONMENT} first: review its plan in the summary of this run, and pass its digest, ${PLANNED}`,
    );
    process.exitCode = 1;
    return;
  }
  if (ASKED === PLANNED) return;
  if (!ASKED && (await wasShown(PLANNED))) return;
  const why = ASKED
    ? 'The plan is not the one with the given digest'
    : 'No pull request showed this plan before it was merged as this commit';
  console.log(
    `::error title=Not the reviewed plan, nothing was changed::${why}. Review the plan in the summary of this run, then run this workflow manually with its digest, ${PLANNED}`,
  );
  process.exitCode = 1;
}

/** Fails if the branch has another commit by now, because the run waited for an approval or is an old one. */
function newest() {
  const [tip] = git('ls-remote', 'origin', GITHUB_REF).split('\t');
  if (tip === GITHUB_SHA) return true;
  console.log(
    `::error title=Not the newest commit, nothing was changed::${GITHUB_REF} is at ${tip || 'no commit'}, and this run is of ${GITHUB_SHA}. Use the run of the newest commit, or run this workflow manually`,
  );
  process.exitCode = 1;
  return false;
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
    if (inTime && (await runOf(each, [`roster-plan${ofProject}.yml`]))?.event === 'workflow_run') return true;
  }
  return false;
}

/** Whether the pushed files are those of the merge, however it was made: by a merge, a squash or a rebase. */
function isMergeOf({ number, head }) {
  git('fetch', '--quiet', 'origin', `refs/pull/${number}/head`);
  try {
    return git('merge-tree', '--write-tree', event.before, head.sha) === git('rev-parse', 'HEAD^{tree}');
  } catch (failure) {
    // There are conflicts. Any other failure is one of git, such as a version before 2.38.
    if (failure.status === 1) return false;
    throw failure;
  }
}

function recordOf(head, digest) {
  return `roster-review${suffix}-${head}-${digest.replace('sha256:', '')}`;
}

/** Newest first. */
async function artifacts(name) {
  const list = await all(`actions/artifacts?name=${name}`, (answer) => answer.artifacts);
  return list
    .filter((each) => !each.expired)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/**
 * The run that made the artifact, if it is one of these workflows. Workflows of other branches can upload artifacts of any
 * name, but GitHub records which workflow it was, and runs `workflow_run` and `schedule` from the default branch only. The
 * branch of any other event can also be a tag.
 */
async function runOf(artifact, files) {
  const made = await send('GET', `actions/runs/${artifact.workflow_run.id}`);
  const isOurs =
    files.some((file) => made.path.split('@')[0] === `.github/workflows/${file}`) &&
    made.head_branch === defaultBranch &&
    made.head_repository?.full_name === GITHUB_REPOSITORY;
  return isOurs ? made : undefined;
}

/** Keeps one issue of the project and environment open while there is drift. */
async function drift(markdownFile, jsonFile, code) {
  const { project, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  // It fits into an issue. Its first line is a hidden marker with the project and environment.
  const found = readFileSync(markdownFile, 'utf8');
  const known = ours(await all('issues?state=open'), firstLine(found));
  if (code === '2') {
    const body = `${found}\nFound by ${run}\n`;
    const title = `Changed outside roster: ${project}${environment === null ? '' : ` (${environment})`}`;
    if (known !== undefined) await send('PATCH', `issues/${known.number}`, { body });
    else await send('POST', 'issues', { title, labels: ['roster-drift'], body });
  } else if (known !== undefined) {
    await send('POST', `issues/${known.number}/comments`, { body: `Resolved, according to ${run}` });
    await send('PATCH', `issues/${known.number}`, { state: 'closed' });
  }
}

/** Prints the addresses of declared resources that were changed outside roster, one a line. */
function addresses(jsonFile) {
  const { changes } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  for (const { address, source } of changes) if (source !== null) console.log(address);
}

/** Opens or updates the pull request with what `roster pull` has written. */
async function propose(textFile, jsonFile, code) {
  const { project, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  const branch = `refs/heads/roster-pull/${project}${environment === null ? '' : `_${environment}`}`;
  const title = `Accept changes made outside roster: ${project}${environment === null ? '' : ` (${environment})`}`;
  const commit = committed(branch, title);
  if (commit === undefined) return nothingWritten(code);
  git('push', '--quiet', 'origin', `${commit}:${branch}`);
  const body = `${pulled(readFileSync(textFile, 'utf8'), code)}\nMade by ${run}\n`;
  const head = branch.replace('refs/heads/', '');
  const query = new URLSearchParams({
    state: 'open',
    base: defaultBranch,
    head: `${GITHUB_REPOSITORY.split('/')[0]}:${head}`,
  });
  const [known] = await send('GET', `pulls?${query}`);
  if (known !== undefined) await send('PATCH', `pulls/${known.number}`, { title, body });
  else await send('POST', 'pulls', { title, head, base: defaultBranch, body });
}

/** What pull has printed, as a code block that no value in it can end. */
function pulled(printed, code) {
  const said =
    code === '1'
      ? '`roster pull` could not write all values into the manifests: the errors say which.'
      : '`roster pull` has written the changes into the manifests.';
  const text =
    printed.length > 30_000 ? `${printed.slice(0, 30_000)}\n… The log of the run has the rest.\n` : printed;
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((each) => each.length + 1)));
  return `${said}\n\n${fence}text\n${text.trimEnd()}\n${fence}\n`;
}

/**
 * Commits what `roster pull` has written on top of the checkout. It also follows the last commit of the branch, so that no
 * push is forced. Undefined if nothing was written.
 */
function committed(branch, title) {
  git('add', '--update');
  const tree = git('write-tree');
  if (tree === git('rev-parse', 'HEAD^{tree}')) return;
  const parents = ['-p', git('rev-parse', 'HEAD')];
  if (git('ls-remote', 'origin', branch) !== '') {
    git('fetch', '--quiet', '--depth', '1', 'origin', branch);
    parents.push('-p', git('rev-parse', 'FETCH_HEAD'));
  }
  const author = ['-c', 'user.name=roster', '-c', 'user.email=roster@localhost'];
  return git(...author, 'commit-tree', tree, ...parents, '-m', title);
}

/** Exit code 1 of pull without a written value is a failure. */
function nothingWritten(code) {
  console.log('The manifests were not changed: there is nothing to propose.');
  process.exitCode = Number(code);
}

/** The comment or issue that workflows have written, found by the hidden marker in its first line. */
function ours(list, marker) {
  return list.find((each) => each.user.login === 'github-actions[bot]' && each.body?.startsWith(marker));
}

async function all(path, itemsOf = (answer) => answer) {
  const list = [];
  for (let page = 1; ; page += 1) {
    const query = `${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`;
    const items = itemsOf(await send('GET', `${path}${query}`));
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
  if (!response.ok) {
    const { status } = response;
    throw Object.assign(new Error(`${method} ${path}: GitHub responded with ${status}`), { status });
  }
  return response.json();
}

/** In the repository that was checked out: a folder of it can look like another one, with programs to run. */
function git(...words) {
  const settings = ['safe.bareRepository=explicit', `safe.directory=${GITHUB_WORKSPACE}`];
  const options = { cwd: GITHUB_WORKSPACE, encoding: 'utf8' };
  return execFileSync('git', [...settings.flatMap((each) => ['-c', each]), ...words], options).trim();
}

function output(name, value) {
  appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

function firstLine(text) {
  return text.slice(0, text.indexOf('\n'));
}

const commands = { find, show, reviewed, newest, drift, addresses, propose };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
