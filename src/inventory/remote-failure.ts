import { type Problem, problem } from '../model/diagnostic.js';
import type { GitFailure } from './git.js';

/** A host that refuses a push may explain it at length. */
const MOST_LINES = 6;
const MOST_CHARACTERS = 600;

interface Cause {
  /** What git prints, in English. */
  readonly pattern: RegExp;
  /** After "the inventory NAME". */
  readonly what: string;
  readonly help: string;
}

/** The first match wins. Git has the same exit code for all of them. */
const causes: readonly Cause[] = [
  {
    pattern: /could not read (?:Username|Password)|terminal prompts disabled/i,
    what: 'cannot be read or written: its host asks for a user name or token',
    help: 'Configure git credentials for this remote, for example with `git config credential.helper`. In CI, use the job token.',
  },
  {
    pattern: /Authentication failed|Invalid username or|Access denied|Permission denied \(|error: 401/i,
    what: 'cannot be read or written: its host does not accept the credentials that git uses',
    help: 'Check that the token or SSH key is valid, and belongs to a user with access to this repository.',
  },
  {
    pattern: /error: 403|Permission to .* denied|not allowed to/i,
    what: 'cannot be read or written: its host denies access to this user',
    help: 'Allow the user or the CI job to fetch and push this branch.',
  },
  {
    pattern: /repository .*not found|does not appear to be a git repository|error: 404/i,
    what: 'cannot be read or written: its host finds no repository at this URL, or does not show it to this user',
    help: 'Check the URL that `git remote get-url` prints, and the permissions of the user.',
  },
  {
    pattern:
      /Could not resolve|Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset|closed)|No route to host|unreachable|timed out/i,
    what: 'cannot be reached',
    help: 'Check the network, the proxy settings, and the URL that `git remote get-url` prints.',
  },
];

const other = {
  what: 'cannot be read or written',
  help: 'Check the remote and your permissions: roster must be able to fetch and push this branch.',
};

/** `name` is that of the inventory. */
export function remoteProblem(name: string, failure: GitFailure): Problem {
  const { command, output, stderr } = failure;
  const [, refusal] = /\[remote rejected\].*\((.*)\)/.exec(stderr) ?? [];
  if (refusal !== undefined) return refused(name, refusal, stderr);
  const { what, help } = causes.find(({ pattern }) => pattern.test(stderr)) ?? other;
  return problem('inventory-unavailable', `the inventory ${name} ${what}: git ${command}: ${output}`, help);
}

/** The host's own lines come before those of git, which only repeat that it failed. */
function refused(name: string, refusal: string, stderr: string): Problem {
  const lines = stderr.split('\n').flatMap((line) => /^remote: ?(.*\S)/.exec(line)?.[1]?.trim() ?? []);
  const said = [refusal, ...lines.slice(0, MOST_LINES)].join('; ');
  const rest = lines.length > MOST_LINES || said.length > MOST_CHARACTERS ? ' …' : '';
  const message = `the remote refused the push to the inventory ${name}: ${said.slice(0, MOST_CHARACTERS)}${rest}`;
  const help =
    'A rule on the host, such as a protected branch or a hook, blocks the push: allow the user or CI job that runs roster to push to this branch.';
  return problem('inventory-unavailable', message, help);
}
