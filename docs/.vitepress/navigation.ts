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
        page: 'comparison',
        title: 'Coming from another tool',
        about: 'The words of Terraform, decK, dbt and Databricks, and when to use another tool',
      },
      {
        page: 'inventory',
        title: 'Ownership',
        about: 'Which objects belong to a project, inventories and locks',
      },
      { page: 'glossary', title: 'Glossary', about: 'Terms of the documentation' },
    ],
  },
  {
    title: 'Write',
    pages: [
      { page: 'manifests', title: 'Manifests', about: 'Write manifests' },
      { page: 'repeat', title: 'Repeat an entry', about: 'Replace copies of an entry with one' },
      { page: 'policies', title: 'Policies', about: 'Enforce rules on manifests' },
      {
        page: 'import',
        title: 'Import and accept',
        about: 'Manage existing objects, list them, and accept changes from the dashboard',
      },
      { page: 'split', title: 'Split and move', about: 'Split and merge projects, and move entries' },
      { page: 'rename', title: 'Rename and retire', about: 'Rename or retire a project or an environment' },
    ],
  },
  {
    title: 'Review and ship',
    pages: [
      {
        page: 'ci',
        title: 'Set up CI',
        about: 'Plan pull requests without a key, and apply the reviewed plan',
      },
      { page: 'pull-requests', title: 'Review plans', about: 'Read the comment in a pull request' },
      {
        page: 'proof',
        title: 'From pull request to proof',
        about: 'Plan, rehearsal, approval, apply and canary',
      },
      { page: 'promote', title: 'Promote', about: 'Apply to staging before production' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      {
        page: 'run',
        title: 'Run',
        about: 'Start agents, groups, pipelines and schedules, and list, stop and retry runs',
      },
      { page: 'status', title: 'Status', about: 'See whether everything runs, succeeds and starts on time' },
      { page: 'data', title: 'Data', about: 'List, query, download and delete collected data' },
      { page: 'expectations', title: 'Is my data all right?', about: 'Declare what runs should deliver' },
      { page: 'incident', title: 'Incident', about: 'Stop schedules now' },
      {
        page: 'recovery',
        title: 'When something goes wrong',
        about: 'Continue after a failed apply, drift or a lost inventory',
      },
      { page: 'api-keys', title: 'API keys', about: 'Create, deliver and rotate keys' },
      { page: 'service-user', title: 'Keys and people', about: 'Share a project with other people' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { page: 'reference', title: 'Properties', about: 'Every property of manifests' },
      { page: 'commands', title: 'Commands', about: 'Every command, flag and exit code' },
      { page: 'diagnostics', title: 'Diagnostic codes', about: 'Every error, warning and note' },
      {
        page: 'support',
        title: 'Platforms and environment variables',
        about: 'Versions, platforms, settings and completion',
      },
      { page: 'security', title: 'Security', about: 'What roster protects, and what it does not' },
      { page: 'performance', title: 'Performance', about: 'Projects with thousands of resources' },
      { page: 'sandbox', title: 'Sandbox', about: 'Test against a local service and simulate failures' },
      {
        page: 'library',
        title: 'JSON, library, API',
        about: 'Read plans in a program, use the library, and send single requests',
      },
    ],
  },
];
