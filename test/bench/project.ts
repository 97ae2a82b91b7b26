import type { Seed, SeedSchedule } from '../../src/sandbox/index.js';

/** A realistic project: several files, and the seed of a service that holds exactly its resources. */
export interface Project {
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly seed: Seed;
}

/** A team has ten resources: four groups, a pipeline, and a schedule for each of them. */
const TEAM = 10;
const TEAMS_IN_A_FILE = 25;
const AGENTS = 200;
const VARS = { country: 'DE', zone: 'Europe/Berlin', start: '2026-01-05T06:00:00' };

/** The agents, which no project creates. */
export const agents: Seed = {
  agents: Array.from({ length: AGENTS }, (_, index) => ({
    externalAgentId: agent(index),
    name: `Shop number ${index}`,
    inputParameters: [
      { key: 'country', defaultValue: 'US' },
      { key: 'page', defaultValue: '1' },
    ],
  })),
};

/**
 * A project with this many resources, a multiple of ten. One of them is an API key, unless the project is to be created:
 * that would revoke the key which creates it.
 */
export function projectOf(resources: number, { hasKey = true } = {}): Project {
  const teams = Array.from({ length: resources / TEAM }, (_, number) => team(number));
  // The key takes the place of a schedule.
  if (hasKey) teams.at(-1)?.schedules.pop();
  const files = Array.from({ length: Math.ceil(teams.length / TEAMS_IN_A_FILE) }, (_, number) => {
    const of = teams.slice(number * TEAMS_IN_A_FILE, (number + 1) * TEAMS_IN_A_FILE);
    return [`teams/${String(number).padStart(3, '0')}.yaml`, file(of)] as const;
  });
  return {
    files: { 'roster.yaml': hasKey ? MAIN + KEY : MAIN, ...Object.fromEntries(files) },
    seed: {
      ...agents,
      groups: teams
        .flatMap((each) => each.groups)
        .map(({ name, agents, description }) => ({ name, members: agents, description })),
      pipelines: teams
        .flatMap((each) => each.pipelines)
        .map(({ name, agents, description }) => ({
          name,
          steps: agents,
          description,
        })),
      schedules: teams.flatMap((each) => each.schedules).map(({ seed }) => seed),
      ...(hasKey ? { keys: [{ name: 'ci', scopes: ['agents.run'] }] } : {}),
    },
  };
}

const MAIN = `project: bench

include: [teams/*.yaml]

vars:
  country: ${VARS.country}
  zone: ${VARS.zone}
  start: ${VARS.start}

# Otherwise there is a warning: many schedules start at the same minute.
limits: { startsPerMinute: 1000000 }
`;

const KEY = `
keys:
  ci: { scopes: [agents.run], deliver: { file: .secrets/ci.key } }
`;

interface Collection {
  readonly text: string;
  readonly name: string;
  readonly description: string;
  readonly agents: string[];
}

interface Schedule {
  readonly text: string;
  readonly seed: SeedSchedule;
}

interface Team {
  readonly groups: Collection[];
  readonly pipelines: Collection[];
  readonly schedules: Schedule[];
}

function team(number: number): Team {
  const groups = [0, 1, 2, 3].map((index) => group(number * 4 + index));
  const pipelines = [pipeline(number)];
  const targets = [
    ...groups.map(
      ({ name }, index) => ({ type: 'Group', name, key: `group/group-${number * 4 + index}` }) as const,
    ),
    ...pipelines.map(({ name }) => ({ type: 'Pipeline', name, key: `pipeline/pipeline-${number}` }) as const),
  ];
  return {
    groups,
    pipelines,
    schedules: targets.map((target, index) => schedule(number * 5 + index, target)),
  };
}

function group(number: number): Collection {
  const name = `Shops of region ${number}`;
  const agents = [0, 1, 2].map((index) => agent(number + index));
  const text = `  group-${number}:
    name: ${name}
    description: Every shop of region ${number} in \${var.country}
    members: [${agents.join(', ')}]
`;
  return { text, name, description: `Every shop of region ${number} in ${VARS.country}`, agents };
}

function pipeline(number: number): Collection {
  const name = `Refresh of team ${number}`;
  const agents = [5, 6, 7].map((index) => agent(number + index));
  const text = `  pipeline-${number}:
    name: ${name}
    stages: [${agents.join(', ')}] # sign in, crawl, then price
`;
  return { text, name, description: '', agents };
}

interface Target {
  readonly type: 'Group' | 'Pipeline';
  readonly name: string;
  readonly key: string;
}

const ZONES = ['America/New_York', 'Asia/Tokyo', 'Australia/Sydney', 'Europe/London'];

function schedule(number: number, { type, name, key }: Target): Schedule {
  const zone = ZONES[number % 8];
  const [timing, settings] = timingOf(number);
  const page = 1 + (number % 20);
  // The stages of a pipeline ignore inputs.
  const hasInputs = type === 'Group';
  const text = `  schedule-${number}:
    target: ${key}
    ${timing}
    startTime: \${var.start}
    timeZone: ${zone ?? '${var.zone}'}
${hasInputs ? `    inputs: { country: "\${var.country}", page: "${page}" }\n` : ''}`;
  return {
    text,
    seed: {
      ...settings,
      targetType: type,
      targetId: name,
      startTime: VARS.start,
      timeZoneId: zone ?? VARS.zone,
      ...(hasInputs
        ? { inputParameters: JSON.stringify({ country: VARS.country, page: String(page) }) }
        : {}),
    },
  };
}

/** As the manifest and as the service have it: half of them cron expressions. */
function timingOf(number: number): [string, Pick<SeedSchedule, 'scheduleType'> & Partial<SeedSchedule>] {
  const [minute, hour] = [number % 60, number % 24];
  const every = 1 + (number % 12);
  const cron = number % 4 === 0 ? `0 ${minute} ${hour} * * MON-FRI` : `0 ${minute} ${hour} * * *`;
  return number % 2 === 0
    ? [`cron: "${cron}"`, { scheduleType: 'Cron', cronExpression: cron }]
    : [`every: ${every} hours`, { scheduleType: 'Basic', intervalValue: every, intervalUnit: 'Hours' }];
}

function file(teams: readonly Team[]): string {
  return (['groups', 'pipelines', 'schedules'] as const)
    .map(
      (section) => `${section}:\n${teams.flatMap((each) => each[section].map(({ text }) => text)).join('')}`,
    )
    .join('\n');
}

function agent(number: number): string {
  return `shop-${String(number % AGENTS).padStart(3, '0')}`;
}
