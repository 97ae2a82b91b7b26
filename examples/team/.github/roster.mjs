// GitHub API calls of the workflows roster-*.yml: which pull request to plan, the comment and the check with its plan,
// and whether a plan was reviewed. Needs only Node and git.
import { readFileSync } from 'node:fs';
import { all, event, firstLine, git, ours, output, run, send } from './roster-host.mjs';

const { GITHUB_REF, GITHUB_REPOSITORY, GITHUB_SHA } = process.env;
/** Set if the repository has several projects, or the project has environments: then all names include them. */
const { OF_PROJECT, OF_ENVIRONMENT } = process.env;
const ofProject = OF_PROJECT ? `-${OF_PROJECT}` : '';
const suffix = ofProject + (OF_ENVIRONMENT ? `_${OF_ENVIRONMENT}` : '');
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

const commands = { find, show, reviewed, newest };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
