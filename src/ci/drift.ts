import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { list, object, optional, type Read, text } from '../model/shape.js';
import { markdownMarker } from '../view/markdown/markdown-escape.js';
import { ending, type JobHost, type Roster, type RosterPlace, type Subject, titleOf } from './host.js';
import { fileIn } from './json-file.js';

/** Exit codes of `roster drift`. */
const DRIFTED = 2;
const LONGEST_ISSUE = 65_000;

/** Keeps one issue of the project and environment open while there is drift. Returns the exit code of the job. */
export async function checkDrift(
  host: JobHost,
  roster: Roster,
  place: RosterPlace,
  subject: Subject,
): Promise<number> {
  const [json, markdown, status] = ['drift.json', 'drift.md', 'status.md'].map((name) =>
    join(host.temp, `${name.replace('.', `${ending(subject)}.`)}`),
  ) as [string, string, string];
  const exit = await roster.drift(place, { json, markdown });
  // What was found counts, even if not everything could be compared. Only then is nothing known to be resolved.
  const hasDrifted = exit === DRIFTED || (exit !== 0 && changesIn(json).length > 0);
  if (exit !== 0 && !hasDrifted) return exit;
  // The issue is opened even if the status fails: it says so.
  if (hasDrifted) await roster.status(place, { markdown: status });
  const known = await host.issue(markdownMarker('drift', subject.project, subject.environment));
  if (hasDrifted) {
    const found = readFileSync(markdown, 'utf8');
    const body = `${found}\n${statusBelow(found, status)}\nFound by ${host.run}\n`;
    await host.writeIssue(known, { title: `Changed outside roster: ${titleOf(subject)}`, body });
  } else if (known !== null) await host.closeIssue(known, `Resolved, according to ${host.run}`);
  return exit === DRIFTED ? 0 : exit;
}

/** Empty where `roster drift` failed before it had compared anything. */
function changesIn(json: string): Changes {
  if (!existsSync(json)) return [];
  return fileIn(readFileSync(json), basename(json), driftFile).changes ?? [];
}

/** What `roster status` has written, as many of its lines as fit below the drift. */
function statusBelow(found: string, file: string): string {
  if (!existsSync(file)) return '`roster status` failed: the log says why.\n';
  // Without the line that marks a comment of its own.
  const status = readFileSync(file, 'utf8').replace(/^<!-- .* -->\n/, '');
  const room = Math.max(0, LONGEST_ISSUE - found.length);
  if (status.length <= room) return status;
  const shown = status.slice(0, status.lastIndexOf('\n', room - 1) + 1);
  return `${shown}\n**The status is too long to show here:** \`roster status\` shows all of it.\n`;
}

const changed = list(object({ address: text, source: optional(object({})) }));
const driftFile = object({ changes: optional(changed) });
type Changes = Read<typeof changed>;

/** Proposes to accept what was changed outside roster. Returns the exit code of the job. */
export async function proposePull(
  host: JobHost,
  roster: Roster,
  place: RosterPlace,
  subject: Subject,
): Promise<number> {
  const json = join(host.temp, `drift${ending(subject)}.json`);
  const exit = await roster.drift(place, { json });
  if (exit !== 0 && exit !== DRIFTED) return exit;
  const addresses = changesIn(json).flatMap(({ address, source }) => (source === null ? [] : [address]));
  // Without an address, pull would import everything that is not declared.
  if (addresses.length === 0) {
    host.log('Nothing that is declared was changed outside roster.\n');
    return 0;
  }
  const pulled = await roster.pull(place, addresses);
  // Exit code 1 means that some values could not be written. The proposal says which.
  if (pulled.exit !== 0 && pulled.exit !== 1) return pulled.exit;
  const branch = `roster-pull/${ending(subject).slice(1)}`;
  const title = `Accept changes made outside roster: ${titleOf(subject)}`;
  const commit = await committed(host, branch, title);
  if (commit === null) {
    host.log('The manifests were not changed: there is nothing to propose.\n');
    return pulled.exit;
  }
  await host.propose({ commit, branch, title, printed: pulled.printed, isPartial: pulled.exit === 1 });
  return 0;
}

/**
 * Commits what `roster pull` has written on top of the checkout. It also follows the last commit of the branch, so that no
 * push is forced. Null if nothing was written.
 */
async function committed({ git }: JobHost, branch: string, title: string): Promise<string | null> {
  await git.run(['add', '--update']);
  const tree = await git.run(['write-tree']);
  if (tree === (await git.run(['rev-parse', 'HEAD^{tree}']))) return null;
  const parents = [await git.run(['rev-parse', 'HEAD'])];
  const last = await git.fetched('origin', `refs/heads/${branch}`, '--depth', '1');
  if (last !== null) parents.push(last);
  return git.commit(tree, parents, title);
}
