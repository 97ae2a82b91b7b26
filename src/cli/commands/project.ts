import { packageName } from '../../engine/version.js';
import {
  allowAccountChange,
  argument,
  choice,
  common,
  define,
  elsewhere,
  flag,
  importing,
  offline,
  policyFiles,
  project,
  service,
  writing,
} from '../command/command.js';
export const initCommand = define({
  name: 'init',
  summary: 'Create a project; with `--install`, also its CI files',
  about:
    'Create a project with editor settings and, with `--install`, the files of its CI jobs. Files that have been changed are never overwritten.',
  options: [
    flag(
      '--url <url>',
      'URL of the service to write to roster.yaml (default: ROSTER_URL; if unset, every command reads ROSTER_URL)',
    ),
    choice('--ci <host>', 'Host of the CI jobs (default: the host of the git remote)', [
      'github',
      'gitlab',
      'none',
    ]),
    flag(
      '--install <source>',
      `What CI installs: a tarball in this repository, https://…#sha512-…, npm:${packageName}@1.2.3 or image@sha256:… (default: no CI files are written)`,
    ),
    choice(
      '--plan-with <what>',
      'What CI uses to plan pull requests (default: snapshot, which needs no API key)',
      ['snapshot', 'key'],
    ),
    flag(
      '--promote <environments>',
      'Environments that CI applies in this order, such as `staging,production`',
    ),
    choice(
      '--verify [how]',
      'After each apply in CI, fail the job if anything declared is failing; `start` first starts what was applied once (needs an inventory in git)',
      ['status', 'start'],
    ),
  ],
  does: writing,
  formats: ['text', 'json'],
  examples: [
    ['Create a project', 'roster init'],
    ['Create a project for GitLab', 'roster init --ci gitlab --url https://collect.example.com'],
    ['Declare environments that CI applies in this order', 'roster init --promote staging,production'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/ci.md',
});

export const validateCommand = define({
  name: 'validate',
  summary: 'Check the manifests offline',
  about: 'Check the manifests offline and report all errors at once.',
  options: [
    flag('--all-environments', 'Check the project with the settings of each environment that it declares'),
    policyFiles,
    flag('--allow-missing-env', 'Warn about environment variables that are not set, instead of failing'),
  ],
  shared: common,
  does: offline,
  formats: ['text', 'json', 'github', 'sarif', 'gitlab', 'junit'],
  examples: [
    ['Check the project in this folder or a parent folder', 'roster validate'],
    ['Check it with the settings of an environment', 'roster validate -e staging'],
    [
      'Annotate the lines of a pull request on GitHub, in a job without secrets',
      'roster validate --all-environments --allow-missing-env --format github',
    ],
  ],
  exits: { 0: 'The manifests are valid', 1: 'The manifests have errors, or cannot be read' },
  docs: 'docs/manifests.md',
});

export const fmtCommand = define({
  name: 'fmt',
  summary: 'Format the manifests; comments are kept',
  about: 'Format all manifests of the project. Comments, anchors and the order of entries are kept.',
  options: [
    flag('--check', 'Write nothing; exit with code 2 if a file is not formatted'),
    flag('--diff', 'Write nothing; print what formatting would change, as a patch'),
  ],
  shared: project,
  does: writing,
  formats: ['text', 'json'],
  examples: [
    ['Format the manifests', 'roster fmt'],
    ['Show what would change, and change nothing', 'roster fmt --diff'],
    ['Fail in CI when a file is not formatted, and show why', 'roster fmt --check --diff'],
  ],
  exits: { 0: 'Success', 1: 'An error', 2: 'A file is not formatted, with `--check`' },
  docs: 'docs/manifests.md',
});

export const pullCommand = define({
  name: 'pull',
  summary: 'Write manifests for what exists on the service',
  about:
    'Write manifests for objects that nothing declares, so that an apply adopts them. With the addresses of declared resources, write the remote values into the existing files instead: only the lines that differ change. With `--expect`, add `expect` to existing entries, proposed from their latest runs.',
  arguments: [
    argument(
      '[addresses...]',
      'Addresses or globs of declared resources and other objects (default: all objects without an entry)',
    ),
  ],
  options: [
    allowAccountChange,
    flag(
      '-y, --yes',
      'Do not ask for confirmation before adding to `include` or, with `--expect`, to entries',
    ),
    flag('--out <folder>', 'Folder of the new files (default: imported)'),
    flag('--into <file>', 'Add all new entries to one file'),
    choice('--by <what>', 'How to split new entries into files (default: kind)', ['kind', 'target']),
    flag('--match <glob>', 'Import only objects whose name matches, such as `Retail*`'),
    flag(
      '--expect',
      'Add `expect` to declared entries, proposed from their last 14 successful runs and the sample output of their agents',
    ),
  ],
  shared: service,
  does: importing,
  formats: ['text', 'json', 'diff'],
  examples: [
    ['Import everything that is not declared', 'roster pull --yes'],
    ['Show changes made outside roster as a patch', "roster pull 'schedule/*' --format diff"],
    [
      'Show the `expect` that the runs of a group suggest',
      'roster pull --expect group/retail-prices --format diff',
    ],
  ],
  exits: {
    0: 'Success',
    1: 'An error, or some objects or values could not be written; the others were',
    4: elsewhere,
  },
  docs: 'docs/import.md#roster-pull',
});

export const moveCommand = define({
  name: 'move',
  summary: 'Move entries to another project of the repository',
  about:
    'Move entries with their comments to the project file of another project in the same git work tree, and list them under `removed` in this one. The next applies adopt and forget the objects, in any order, and nothing is deleted. An entry that would mean something else there is refused.',
  arguments: [argument('<addresses...>', 'Addresses or globs of the entries')],
  options: [
    flag('--to <file>', 'Project file of the other project (required)'),
    flag('--as <key>', 'Key of the entry there (default: its key here)'),
    flag('-y, --yes', 'Do not ask for confirmation'),
  ],
  shared: project,
  does: writing,
  formats: ['text', 'json', 'diff'],
  examples: [
    [
      'Show what moving a pipeline and its schedule would change',
      'roster move pipeline/nightly schedule/nightly --to ../travel/roster.yaml --format diff',
    ],
    ['Move it', 'roster move pipeline/nightly schedule/nightly --to ../travel/roster.yaml --yes'],
  ],
  exits: { 0: 'Success', 1: 'An error, or an entry would mean something else there; nothing was written' },
  docs: 'docs/split.md',
});
