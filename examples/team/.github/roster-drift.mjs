// GitHub API calls of the workflow roster-drift*.yml: the issue about drift, and the pull request that accepts it. Needs only
// Node and git.
import { existsSync, readFileSync } from 'node:fs';
import { all, event, firstLine, git, ours, run, send } from './roster-host.mjs';

const { GITHUB_REPOSITORY } = process.env;
const defaultBranch = event.repository?.default_branch;

/** Keeps one issue of the project and environment open while there is drift. */
async function drift(markdownFile, jsonFile, code, statusFile) {
  const { project, environment } = JSON.parse(readFileSync(jsonFile, 'utf8'));
  // It fits into an issue. Its first line is a hidden marker with the project and environment.
  const found = readFileSync(markdownFile, 'utf8');
  const known = ours(await all('issues?state=open'), firstLine(found));
  if (code === '2') {
    const body = `${found}\n${statusBelow(found, statusFile)}\nFound by ${run}\n`;
    const title = `Changed outside roster: ${project}${environment === null ? '' : ` (${environment})`}`;
    if (known !== undefined) await send('PATCH', `issues/${known.number}`, { body });
    else await send('POST', 'issues', { title, labels: ['roster-drift'], body });
  } else if (known !== undefined) {
    await send('POST', `issues/${known.number}/comments`, { body: `Resolved, according to ${run}` });
    await send('PATCH', `issues/${known.number}`, { state: 'closed' });
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

const commands = { drift, addresses, propose };
const [name, ...args] = process.argv.slice(2);
await commands[name](...args);
