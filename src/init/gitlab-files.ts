import { shellWord } from '../model/words.js';
import {
  about,
  type CiFacts,
  deploymentsOf,
  ending,
  fillTemplate,
  generatedFile,
  listed,
  shellFile,
  type Values,
  verifyFlag,
} from './ci-facts.js';
import { installCommand, installFiles, rosterCommand } from './install-files.js';
import { type NewFile, yamlWord } from './project-files.js';
import jobs from './templates/gitlab/roster.yml?raw';

export function gitlabFiles(facts: CiFacts): readonly NewFile[] {
  const path = `.gitlab/roster${ending(facts)}.yml`;
  return [
    entryFile(facts, path),
    generatedFile(path, fillTemplate(jobs, valuesOf(facts))),
    ...installFiles(facts.install, 'gitlab'),
  ];
}

/** GitLab starts from this file, which may be the user's. It includes the jobs once for each environment. */
function entryFile({ environments, promote }: CiFacts, path: string): NewFile {
  const includes =
    environments.length === 0
      ? [`local: ${path}`]
      : environments.map((each) => {
          const before = promote[promote.indexOf(each) - 1];
          const after = before === undefined ? '' : `, after: ${yamlWord(before)}`;
          return `{ local: ${path}, inputs: { environment: ${yamlWord(each)}${after} } }`;
        });
  return {
    path: '.gitlab-ci.yml',
    at: 'repository',
    text: `include:\n${includes.map((each) => `  - ${each}\n`).join('')}`,
    missingFrom: (existing) => {
      const stages = stagesIn(existing);
      const added = [
        ...addedTo(
          'include',
          includes.filter((each) => !existing.includes(each)),
        ),
        ...addedTo('stages', stages === null ? [] : STAGES.filter((each) => !stages.includes(each))),
      ];
      return added.length === 0 ? null : `add ${added.join(', and ')}`;
    },
  };
}

/** Of the jobs. GitLab has them, unless a file declares other `stages`: then it refuses a job of any other. */
const STAGES = ['test', 'deploy'];

function addedTo(key: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`\`${items.join('`, `')}\` to its \`${key}\``];
}

/** The stages that a file declares; null for a file that declares none. */
function stagesIn(text: string): readonly string[] | null {
  // Up to the next key.
  const [, list] = /^stages:(.*(?:\n(?:[ \t#-].*)?)*)/m.exec(text) ?? [];
  if (list === undefined) return null;
  const items = list.replace(/(^|\s)#.*$/gm, '').split(/[\n,[\]]/);
  return items.map((each) => each.replace(/^[\s-]*["']?|["']?\s*$/g, ''));
}

function valuesOf(facts: CiFacts): Values {
  const { install, verify, branch, folder, environments, promote, url } = facts;
  const input = environments.length === 0 ? '' : '$[[ inputs.environment ]]';
  const of = `${ending(facts)}${input === '' ? '' : `_${input}`}`;
  const mayFail = verify === null && promote.length === 0;
  return {
    ABOUT: about(facts),
    SPEC:
      input === '' ? '' : `spec: { inputs: { environment: { type: string }, after: { default: "" } } }\n---`,
    OF_PROJECT: ending(facts),
    OF: of,
    // Inputs do not exist above the header.
    SHOWN: `${ending(facts)}${input === '' ? '' : '_…'}`,
    IMAGE: install.from === 'image' ? install.image : 'node:24',
    INSTALL: install.from === 'image' ? '' : `before_script: ${installCommand('gitlab')}`,
    ROSTER: rosterCommand(install, 'gitlab'),
    FILE: shellFile(folder),
    SELECT: input === '' ? '' : ` -e ${input}`,
    BRANCH: JSON.stringify(branch),
    APPLY_TO: `${facts.project === null ? '' : `${facts.project}_`}${input === '' ? 'production' : input}`,
    VERIFY: verifyFlag(verify),
    // If a job that may fail has failed, GitLab runs the jobs that need it. If it may not, only those that always run.
    MAY_FAIL: String(mayFail),
    ALWAYS: mayFail ? '' : 'when: always',
    AFTER:
      promote.length === 0
        ? ''
        : 'needs: [{ job: "roster-apply__OF_PROJECT___$[[ inputs.after ]]", optional: true }]',
    ...serviceOf(facts, url),
    ...promotionOf(facts),
  };
}

/** Each environment has its own service. */
function serviceOf(facts: CiFacts, url: string | null): Values {
  const { reading, applying } = deploymentsOf(facts);
  // Whoever may start a pipeline with variables of their own must not decide where the key is sent.
  const isKnown = url !== null && facts.environments.length === 0;
  const option = isKnown ? ` --url ${shellWord(url)}` : '';
  return {
    URL: option,
    ...(facts.planWith === 'key' ? { ...liveValues, LIVE: ` --live${option}` } : snapshotValues),
    SERVICE_VARIABLES: isKnown ? 'ROSTER_API_KEY' : 'ROSTER_API_KEY and ROSTER_URL',
    SCOPES: listed([...reading, ...applying]).replaceAll('`', ''),
  };
}

function promotionOf({ promote }: CiFacts): Values {
  const order = `# Environments are applied in the order ${promote.join(', ')}: each one is planned after the previous one was applied.`;
  return { PROMOTION: promote.length === 0 ? '' : order };
}

const snapshotValues: Values = {
  LIVE: '',
  PLAN_READS: '',
  IN_MERGE_REQUESTS: '- if: $CI_PIPELINE_SOURCE == "merge_request_event"',
};

/** The pipeline of a merge request, which its author can change, has no key. */
const liveValues: Values = {
  PLAN_READS: 'environment: { name: "roster-plan__OF__", action: verify }',
  IN_MERGE_REQUESTS: '',
};
