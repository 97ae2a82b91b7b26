export interface Page {
  /** The name of its file in docs/, without `.md`. */
  readonly page: string;
  /** In the sidebar and in llms.txt. */
  readonly title: string;
  /** One line for llms.txt and for search engines. */
  readonly about: string;
}

export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Every page of docs/ but its README, which is the first page of the site, in the order of the sidebar. */
export const navigation: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      { page: 'start', title: 'Five-minute start', about: 'Try roster on a local service' },
      { page: 'decide', title: 'Can we use it?', about: 'Whether roster fits, and what must be set up' },
      {
        page: 'coming-from',
        title: 'Coming from another tool',
        about: 'The words of Terraform, decK, dbt and Databricks',
      },
      { page: 'inventory', title: 'Ownership', about: 'What belongs to a project, inventories and locks' },
      { page: 'glossary', title: 'Glossary', about: 'Terms of the documentation' },
    ],
  },
  {
    title: 'Write',
    pages: [
      { page: 'manifests', title: 'Manifests', about: 'Write manifests' },
      { page: 'repeat', title: 'Repeat an entry', about: 'Replace copies of an entry with one' },
      { page: 'policies', title: 'Policies', about: 'Enforce rules on manifests' },
      { page: 'expectations', title: 'Expectations', about: 'Say what runs should deliver' },
      { page: 'import', title: 'Import', about: 'Manage objects that exist already' },
      { page: 'pull', title: 'Pull', about: 'Write manifests for what exists, or accept what was changed' },
      { page: 'list', title: 'List', about: 'List what exists, and complete agents in an editor' },
      { page: 'split', title: 'Split and move', about: 'Split and merge projects, and move entries' },
      { page: 'rename', title: 'Rename and retire', about: 'Rename or retire a project or an environment' },
    ],
  },
  {
    title: 'Review and ship',
    pages: [
      { page: 'ci', title: 'Set up CI', about: 'Plan pull requests, and apply what was reviewed' },
      { page: 'pull-requests', title: 'Review plans', about: 'Read the comment in a pull request' },
      {
        page: 'proof',
        title: 'From pull request to proof',
        about: 'Plan, rehearsal, approval, apply and canary',
      },
      { page: 'forks', title: 'Forks', about: 'Plan pull requests from forks, with a snapshot' },
      { page: 'promote', title: 'Promote', about: 'Apply to staging before production' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      {
        page: 'run',
        title: 'Run',
        about: 'Start agents, groups, pipelines and schedules, and wait for them',
      },
      { page: 'status', title: 'Status', about: 'See whether everything runs, succeeds and starts on time' },
      { page: 'runs', title: 'Runs', about: 'List, show, stop, retry and delete runs' },
      { page: 'data', title: 'Data', about: 'List, query, download and delete what agents have collected' },
      { page: 'live-search', title: 'Live search', about: 'Search many sources at once' },
      { page: 'drift', title: 'Drift', about: 'Deal with changes that were made in the dashboard' },
      { page: 'incident', title: 'Incident', about: 'Stop schedules now' },
      { page: 'recovery', title: 'Failed apply', about: 'Continue after a failed apply' },
      { page: 'lost-inventory', title: 'Lost inventory', about: 'Continue without an inventory' },
      { page: 'api-keys', title: 'API keys', about: 'Create and deliver keys' },
      { page: 'rotate-a-key', title: 'Rotate a key', about: 'Replace the API key of CI' },
      { page: 'service-user', title: 'Service user', about: 'Share a project with other people' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { page: 'reference', title: 'Properties', about: 'Every property of manifests' },
      { page: 'commands', title: 'Commands', about: 'Every command, flag and exit code' },
      { page: 'diagnostics', title: 'Diagnostic codes', about: 'Every error, warning and note' },
      { page: 'environment-variables', title: 'Environment variables', about: 'Settings outside of files' },
      { page: 'plan-json', title: 'JSON plan', about: 'The plan for programs' },
      { page: 'security', title: 'Security', about: 'What roster protects, and what it does not' },
      { page: 'support', title: 'Support', about: 'Versions, platforms and how long they are supported' },
      { page: 'performance', title: 'Performance', about: 'Projects with thousands of resources' },
      { page: 'sandbox', title: 'Sandbox', about: 'Test against a local service and simulate failures' },
      { page: 'api', title: 'API', about: 'Use an operation that has no command' },
      { page: 'operations', title: 'Operations', about: 'The operations of the service, in the library' },
      { page: 'completion', title: 'Completion', about: 'Complete commands in a shell' },
      { page: 'library', title: 'Library', about: 'Use roster in a program' },
      { page: 'comparison', title: 'Comparison', about: 'When to use another tool' },
    ],
  },
];
