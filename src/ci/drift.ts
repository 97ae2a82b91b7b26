import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { list, object, optional, type Read, text } from '../model/shape.js';
import { markdownMarker } from '../view/markdown/markdown-escape.js';
import { ending, type JobHost, type Roster, type RosterPlace, type Subject, titleOf } from './host.js';
import { fileIn } from './json-file.js';

/** Exit code of `roster drift`. */
const DRIFTED = 2;
/** Exit code of `roster data check`. */
const UNMET = 5;
const LONGEST_ISSUE = 65_000;

/**
 * Keeps one issue of the project and environment open while there is drift, or data is not as expected. Returns the exit code
 * of the job.
 */
export async function checkDrift(
  host: JobHost,
  roster: Roster,
  place: RosterPlace,
  subject: Subject,
): Promise<number> {
  const fileNamed = (name: string) => join(host.temp, name.replace('.', `${ending(subject)}.`));
  const [json, markdown] = [fileNamed('drift.json'), fileNamed('drift.md')];
  const exit = await roster.drift(place, { json, markdown });
  // What was found counts, even if not everything could be compared. Only then is nothing known to be resolved.
  const hasDrifted = exit === DRIFTED || (exit !== 0 && changesIn(json).length > 0);
  const data = { json: fileNamed('data.json'), markdown: fileNamed('data.md') };
  const checked = await roster.dataCheck(place, data);
  const verdicts = verdictsIn(data.json);
  const isUnmet = checked === UNMET || (checked !== 0 && verdicts.has('unmet'));
  const marker = markdownMarker('drift', subject.project, subject.environment);
  const known = await host.issue(marker);
  if (hasDrifted || isUnmet) {
    // The issue is opened even if the status fails: it says so.
    const status = fileNamed('status.md');
    await roster.status(place, { markdown: status });
    let found = `${marker}\n${below('', markdown, DRIFT)}`;
    if (isUnmet) found = `${found}\n${below(found, data.markdown, DATA)}`;
    const body = `${found}\n${below(found, status, STATUS)}\nFound by ${host.run}\n`;
    await host.writeIssue(known, { title: `${titleFor(hasDrifted, isUnmet)}: ${titleOf(subject)}`, body });
  } else if (known !== null && exit === 0 && checked === 0) {
    const unknown = verdicts.has('unknown') ? ' Some expectations could not be judged.' : '';
    await host.closeIssue(known, `Resolved, according to ${host.run}${unknown}`);
  }
  const left = exit === DRIFTED ? 0 : exit;
  return left !== 0 || checked === UNMET ? left : checked;
}

function titleFor(hasDrifted: boolean, isUnmet: boolean): string {
  if (!hasDrifted) return 'Data is not as expected';
  return isUnmet ? 'Changed outside roster, and data is not as expected' : 'Changed outside roster';
}

/** Empty where `roster drift` failed before it had compared anything. */
function changesIn(json: string): Changes {
  if (!existsSync(json)) return [];
  return fileIn(readFileSync(json), basename(json), driftFile).changes ?? [];
}

/** The verdicts that `roster data check` has reached on what counts, although it may not have read everything. */
function verdictsIn(json: string): ReadonlySet<string> {
  if (!existsSync(json)) return new Set();
  const { datasets } = fileIn(readFileSync(json), basename(json), checkFile);
  const all = (datasets ?? []).flatMap(({ expectations }) => expectations);
  return new Set(all.filter(({ level }) => level === 'error').map(({ verdict }) => verdict));
}

const judged = list(object({ verdict: text, level: text }));
const checkFile = object({ datasets: optional(list(object({ expectations: judged }))) });

/** What another command has written. */
interface IssuePart {
  readonly what: string;
  readonly command: string;
}

const DRIFT: IssuePart = { what: 'drift', command: 'roster drift' };
const STATUS: IssuePart = { what: 'status', command: 'roster status' };
const DATA: IssuePart = { what: 'report about the data', command: 'roster data check' };

/** As many lines of it as fit below what was found. */
function below(found: string, file: string, { what, command }: IssuePart): string {
  if (!existsSync(file)) return `\`${command}\` failed: the log says why.\n`;
  // Without the line that marks a comment of its own.
  const part = readFileSync(file, 'utf8').replace(/^<!-- .* -->\n/, '');
  const room = Math.max(0, LONGEST_ISSUE - found.length);
  if (part.length <= room) return part;
  const shown = part.slice(0, part.lastIndexOf('\n', room - 1) + 1);
  return `${shown}\n**The ${what} is too long to show here:** \`${command}\` shows all of it.\n`;
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
