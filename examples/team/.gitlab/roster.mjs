// GitLab API calls and git commands of the jobs of .gitlab/roster*.yml: the note with the plan, the issue about drift, and
// the branches with snapshots. Needs only Node and git.
import { existsSync, readFileSync } from 'node:fs';
import { request, runGit } from './roster-request.mjs';

// Written by `roster init`, and not read from CI_API_V4_URL, because whoever starts a pipeline can set variables.
const api = 'https://gitlab.com/api/v4';
const { CI_PROJECT_ID, CI_PROJECT_DIR, CI_JOB_URL } = process.env;
const project = `projects/${CI_PROJECT_ID}`;

/** Posts the plan as a note on the merge request, or updates the existing note. */
async function note(planFile) {
  const plan = readFileSync(planFile, 'utf8');
  const notes = `${project}/merge_requests/${process.env.CI_MERGE_REQUEST_IID}/notes`;
  const known = await ours(await all(notes), plan.slice(0, plan.indexOf('\n')), 'body');
  if (known === undefined) await send('POST', notes, { body: plan });
  else await send('PUT', `${notes}/${known.id}`, { body: plan });
}

/** Keeps one issue of the project and environment open while there is drift. */
async function drift(markdownFile, jsonFile, code, statusFile) {
  const { project: name, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  // Its first line is a hidden marker with the project and environment.
  const found = readFileSync(markdownFile, 'utf8');
  const marker = found.slice(0, found.indexOf('\n'));
  const issues = `${project}/issues`;
  const known = await ours(await all(`${issues}?state=opened`), marker, 'description');
  if (code === '2') {
    const description = `${found}\n${statusBelow(found, statusFile)}\nFound by ${CI_JOB_URL}\n`;
    const title = `Changed outside roster: ${name}${environment === null ? '' : ` (${environment})`}`;
    if (known !== undefined) await send('PUT', `${issues}/${known.iid}`, { description });
    else await send('POST', issues, { title, labels: 'roster-drift', description });
  } else if (known !== undefined) {
    await send('POST', `${issues}/${known.iid}/notes`, { body: `Resolved, according to ${CI_JOB_URL}` });
    await send('PUT', `${issues}/${known.iid}`, { state_event: 'close' });
  }
}

/** What `roster status` has written, as many of its lines as fit below the drift. */
function statusBelow(found, file) {
  if (!existsSync(file)) return '`roster status` failed: the log says why.\n';
  // Without the line that marks a comment of its own.
  const status = readFileSync(file, 'utf8').replace(/^<!-- .* -->\n/, '');
  const room = Math.max(0, 65_000 - found.length);
  if (status.length <= room) return status;
  const shown = status.slice(0, status.lastIndexOf('\n', room - 1) + 1);
  return `${shown}\n**The status is too long to show here:** \`roster status\` shows all of it.\n`;
}

/** Prints the addresses of declared resources that were changed outside roster, one a line. */
function addresses(jsonFile) {
  const { changes } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  for (const { address, source } of changes) if (source !== null) console.log(address);
}

/** Pushes what `roster pull` has written, with options that open or update the merge request. */
function propose(textFile, jsonFile, code) {
  const { project: name, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  const branch = `refs/heads/roster-pull/${name}${environment === null ? '' : `_${environment}`}`;
  const title = `Accept changes made outside roster: ${name}${environment === null ? '' : ` (${environment})`}`;
  const commit = committed(branch, title);
  if (commit === undefined) return nothingWritten(code);
  const description = pulled(readFileSync(textFile, 'utf8'), code);
  const options = [
    'merge_request.create',
    `merge_request.target=${process.env.CI_COMMIT_BRANCH}`,
    `merge_request.title=${title}`,
    `merge_request.description=${description}<p>Made by ${CI_JOB_URL}</p>`,
  ];
  git('push', '--quiet', ...options.flatMap((each) => ['-o', each]), 'origin', `${commit}:${branch}`);
}

/** What pull has printed, as HTML in one line, because a push option cannot have several. */
function pulled(printed, code) {
  const said =
    code === '1'
      ? '<code>roster pull</code> could not write all values into the manifests: the errors say which.'
      : '<code>roster pull</code> has written the changes into the manifests.';
  const text =
    printed.length > 8000
      ? `${printed.slice(0, 8000)}\n… The log of the job has the rest.`
      : printed.trimEnd();
  const escaped = text.replace(/[^\w ,.:/-]/gu, (each) => `&#${each.codePointAt(0)};`);
  return `<p>${said}</p><pre>${escaped}</pre>`;
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

/** Commits the snapshot to a branch, without touching the checkout. */
function save(snapshotFile, name) {
  const branch = `refs/heads/${name}`;
  const known = fetched('origin', branch);
  const parent = known ? ['-p', git('rev-parse', 'FETCH_HEAD')] : [];
  const blob = git('hash-object', '-w', snapshotFile);
  const tree = git('mktree', { input: `100644 blob ${blob}\troster.snapshot.json\n` });
  const author = ['-c', 'user.name=roster', '-c', 'user.email=roster@localhost'];
  const commit = git(...author, 'commit-tree', tree, ...parent, '-m', 'Snapshot');
  git('push', '--quiet', 'origin', `${commit}:${branch}`);
}

/** Fetches the snapshot that a merge request is planned against, as FETCH_HEAD. */
function fetchSnapshot(remote, name) {
  if (fetched(remote, `refs/heads/${name}`)) return;
  console.error(
    'There is no snapshot to plan against. Run a scheduled pipeline of the default branch, which saves one.',
  );
  process.exitCode = 1;
}

/** Whether the branch exists. */
function fetched(remote, branch) {
  if (git('ls-remote', remote, branch) === '') return false;
  git('fetch', '--quiet', '--depth', '1', remote, branch);
  return true;
}

/** In the repository that was checked out: a folder of it can look like another one, with programs to run. */
function git(...words) {
  const options = typeof words.at(-1) === 'object' ? words.pop() : {};
  return runGit(['-c', 'safe.bareRepository=explicit', ...words], { cwd: CI_PROJECT_DIR, ...options });
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
  if (api === '')
    throw new Error(
      'set `api` in .gitlab/roster.mjs to the address of your GitLab, such as https://gitlab.example.com/api/v4',
    );
  const help = { 401: check, 403: check };
  try {
    return await request(method, `${api}/${path}`, {
      headers: { 'PRIVATE-TOKEN': process.env.ROSTER_GITLAB_TOKEN ?? '', 'Content-Type': 'application/json' },
      body,
    });
  } catch (failure) {
    failure.message += help[failure.status] ?? '';
    throw failure;
  }
}

const check = ': check the permissions of ROSTER_GITLAB_TOKEN';

const commands = { note, drift, save, fetch: fetchSnapshot, addresses, propose };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
// Written by roster init; its hash is 2547c32be962f4e2.
