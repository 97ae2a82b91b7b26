/** The environment of every run: some manifests use it. */
export const environment = { SECRET: 'a-secret-of-the-environment' };

/** A project: the manifest that was applied before, and the current one. */
export interface Scenario {
  readonly name: string;
  /** The roster.yaml of an earlier apply; null for a service without objects of the project. */
  readonly before: string | null;
  readonly manifest: string;
}

const at = 'startTime: 2099-01-01T06:00:00';
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function project(sections: string): string {
  return `project: faults\nlimits: { deletes: 40, startsPerMinute: 1000 }\n${sections}`;
}

const fresh = project(`groups:
  shops: { members: [acme-shop, globex] }
  search: { members: [globex], description: 'Search \${env.SECRET}' }
  jobs: { members: [hooli-jobs, stark-listings], active: false }
  empty: { members: [] }
pipelines:
  nightly: { stages: [login-check, catalogue, prices] }
  short: { stages: [prices], active: false }
schedules:
  shops: { target: group/shops, every: 6 hours, ${at} }
  jobs: { target: group/jobs, cron: 0 0 4 * * *, ${at}, timeZone: Europe/Berlin, enabled: false }
  nightly: { target: pipeline/nightly, cron: 0 30 2 * * MON-FRI, ${at} }
  short: { target: pipeline/short, every: 1 day, ${at} }
  acme: { target: agent/acme-shop, every: 2 hours, ${at}, inputs: { country: 'x-\${env.SECRET}' } }
  once: { target: agent/globex, once: 2099-05-01T10:00:00 }
`);

const inactive = project(`groups:
  quiet: { members: [acme-shop], active: false }
pipelines:
  still: { stages: [login-check, prices], active: false }
schedules:
  quiet: { target: group/quiet, every: 6 hours, ${at}, enabled: false }
  still: { target: pipeline/still, every: 6 hours, ${at} }
`);

const members = (group: string, stages: string, more: string) =>
  project(`groups:
  a: { members: [${group}]${more} }
  b: { members: [initech] }
pipelines:
  line: { stages: [${stages}]${more} }
schedules:
  line: { target: pipeline/line, every: 6 hours, ${at} }
`);

const retargeted = (to: string, others: string) =>
  project(`groups:
${others}
schedules:
  moved: { target: group/${to}, every: 6 hours, ${at} }
  fixed: { target: agent/initech, cron: 0 0 * * * *, ${at} }
`);

const mixed = (from: number, active: string, enabled: string) =>
  project(`groups:
${numbers(12)
  .map(
    (i) =>
      `  g${from + i}: { members: [${i % 2 === 0 ? 'acme-shop' : 'globex'}], active: ${i % 3 === 0 ? active : 'true'} }\n`,
  )
  .join('')}pipelines:
${numbers(8)
  .map((i) => `  p${from + i}: { stages: [login-check, ${i % 2 === 0 ? 'prices' : 'catalogue'}] }\n`)
  .join('')}schedules:
${numbers(12)
  .map(
    (i) =>
      `  g${from + i}: { target: group/g${from + i}, every: ${i + 1} hours, ${at}, enabled: ${enabled} }\n`,
  )
  .join('')}${numbers(8)
  .map((i) => `  p${from + i}: { target: pipeline/p${from + i}, cron: 0 ${i} * * * *, ${at} }\n`)
  .join('')}`);

/** S1 to S6: twelve new objects; inactive ones; other members and stages; a new target; prune; forty objects of all kinds. */
export const scenarios: readonly Scenario[] = [
  { name: 'S1', before: null, manifest: fresh },
  { name: 'S2', before: null, manifest: inactive },
  {
    name: 'S3',
    before: members('acme-shop, globex', 'login-check, prices', ''),
    manifest: members('initech, globex', 'prices, login-check, catalogue', ', description: Changed'),
  },
  {
    name: 'S4',
    before: retargeted('old', '  old: { members: [acme-shop] }'),
    manifest: retargeted('new', '  new: { members: [acme-shop, initech] }'),
  },
  { name: 'S5', before: fresh, manifest: project('groups:\n  shops: { members: [acme-shop, globex] }\n') },
  { name: 'S6', before: mixed(0, 'true', 'true'), manifest: mixed(5, 'false', 'false') },
];

export const scenario = (name: string): Scenario => {
  const found = scenarios.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  return found;
};

/** An apply creates, updates and deletes some objects of each kind. */
export const busy: Scenario = {
  name: 'busy',
  before: `project: faults
groups:
  kept: { members: [acme-shop] }
  other: { members: [acme-shop] }
  gone: { members: [globex] }
pipelines:
  kept: { stages: [login-check] }
  gone: { stages: [prices] }
schedules:
  kept: { target: group/kept, every: 6 hours, startTime: 2099-01-01T06:00:00 }
  other: { target: agent/globex, cron: 0 0 4 * * *, startTime: 2099-01-01T06:00:00 }
  gone: { target: pipeline/gone, every: 1 day, startTime: 2099-01-01T06:00:00 }
`,
  manifest: `project: faults
groups:
  kept: { members: [acme-shop] }
  other: { members: [acme-shop, globex], description: Other }
  fresh: { members: [globex] }
pipelines:
  kept: { stages: [login-check], active: false }
  fresh: { stages: [prices, catalogue] }
schedules:
  kept: { target: group/kept, every: 6 hours, startTime: 2099-01-01T06:00:00, enabled: false }
  other: { target: agent/globex, cron: 0 0 4 * * *, startTime: 2099-01-01T06:00:00, inputs: { country: FR } }
  fresh: { target: pipeline/fresh, every: 1 day, startTime: 2099-01-01T06:00:00 }
`,
};

/** Objects on the service that are not the project's. */
export const foreign = {
  groups: [
    { name: 'Foreign group', members: ['wayne-news', 'acme-shop'] },
    { name: 'Of the operator', members: ['acme-shop'], canManage: false },
  ],
  pipelines: [{ name: 'Foreign line', steps: ['wayne-news', 'login-check'] }],
  schedules: [
    {
      targetId: 'wayne-news',
      scheduleType: 'Basic' as const,
      intervalValue: 3,
      intervalUnit: 'Hours' as const,
      startTime: '2099-01-01T00:00:00',
    },
  ],
};
