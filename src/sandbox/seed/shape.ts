import type { Fields } from '../body.js';
import {
  COUNTS,
  DURATION,
  FILLED,
  FLAG,
  ID,
  INPUTS,
  INSTANT,
  integerFrom,
  NUMBER,
  numberTo,
  OBJECT,
  OBJECTS,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WEEK_SECONDS,
  wordOf,
} from '../checks.js';
import { JsonFileError } from '../json-file.js';
import { checkEntry, checkField, checkObject, checkSection, listed, type Shape } from '../json-shape.js';

/** Checks the properties of a seed file and their types. */

const FATE = {
  result: wordOf('succeed', 'fail', 'refuse', 'lose'),
  failedRuns: integerFrom(1, 20),
  seconds: numberTo(WEEK_SECONDS),
  records: integerFrom(0, 1_000_000),
  errors: integerFrom(0, 1_000_000),
  message: TEXT,
  anomaly: wordOf('None', 'Slow', 'Fast'),
  dataset: wordOf('Available', 'Failed', 'Stale', 'None'),
};

const OUTCOME = { nth: COUNTS, ...FATE };

const SETTINGS = {
  retentionDays: numberTo(36_500),
  staggerSeconds: numberTo(3_600),
  bulkExportSeconds: numberTo(3_600),
  startsPerMinute: integerFrom(0, 1_000_000),
};

const COLLECTION = { id: TEXT, description: TEXT, isActive: FLAG, canManage: FLAG, owner: TEXT };

const SECTIONS: Readonly<Record<string, Shape>> = {
  agents: {
    required: { externalAgentId: TEXT, name: TEXT },
    optional: {
      id: TEXT,
      version: TEXT,
      inputParameters: INPUTS,
      assigned: FLAG,
      assignedTo: TEXTS,
      demo: FLAG,
      sessions: integerFrom(1, 20),
      format: wordOf('csv', 'json'),
      fields: TEXTS,
      sample: FLAG,
      unpaid: FLAG,
      outcomes: OBJECTS,
    },
  },
  groups: { required: { name: TEXT, members: TEXTS }, optional: COLLECTION },
  pipelines: { required: { name: TEXT, steps: TEXTS }, optional: COLLECTION },
  schedules: {
    required: { targetId: TEXT, scheduleType: TEXT, startTime: TEXT },
    optional: {
      id: ID,
      targetType: TEXT,
      intervalValue: NUMBER,
      intervalUnit: TEXT,
      cronExpression: TEXT,
      timeZoneId: TEXT,
      inputParameters: TEXT,
      isEnabled: FLAG,
      owner: TEXT,
    },
  },
  history: {
    required: {},
    optional: {
      id: TEXT,
      agent: TEXT,
      group: TEXT,
      pipeline: TEXT,
      schedule: ID,
      startedAt: INSTANT,
      ago: DURATION,
      inputParameters: TEXT,
      owner: TEXT,
      outcome: OBJECT,
      accessLevel: wordOf('Private', 'Company'),
      savedQueries: OBJECTS,
    },
  },
  users: { required: { name: TEXT }, optional: { company: TEXT_OR_NULL } },
  keys: {
    required: { name: TEXT },
    optional: {
      id: TEXT,
      key: TEXT,
      scopes: TEXTS,
      user: TEXT,
      isRevoked: FLAG,
      createdDate: TEXT,
      expires: TEXT_OR_NULL,
      lastUsedDate: TEXT_OR_NULL,
    },
  },
};

const QUERY: Shape = { required: { name: FILLED, definition: OBJECT }, optional: {} };

const PARTS = [...Object.keys(SECTIONS), 'scopes', 'settings', '$schema'];

export function checkShape(seed: unknown): asserts seed is Fields {
  checkObject(seed, PARTS);
  if (seed.scopes !== undefined) checkField('scopes', seed.scopes, TEXTS);
  if (seed.settings !== undefined)
    checkEntry('settings', seed.settings, { required: {}, optional: SETTINGS });
  for (const [name, shape] of Object.entries(SECTIONS)) checkSection(name, seed[name], shape);
  checkOutcomes(seed.agents);
  checkHistory(seed.history);
}

function checkHistory(starts: unknown): void {
  if (!Array.isArray(starts)) return;
  starts.forEach((start: Fields, index) => {
    const where = `history[${index}]`;
    checkOneOf(where, start, ['agent', 'group', 'pipeline', 'schedule']);
    checkOneOf(where, start, ['startedAt', 'ago']);
    if (start.agent === undefined) checkNoneOfAgents(where, start);
    if (start.outcome !== undefined)
      checkEntry(`${where}.outcome`, start.outcome, { required: {}, optional: FATE });
    if (!Array.isArray(start.savedQueries)) return;
    start.savedQueries.forEach((query: unknown, nth) => {
      checkEntry(`${where}.savedQueries[${nth}]`, query, QUERY);
    });
  });
}

/** Groups, pipelines and schedules start several agents. */
function checkNoneOfAgents(where: string, start: Fields): void {
  if (start.outcome !== undefined)
    throw new JsonFileError(`${where}.outcome`, 'is not for an agent', 'Use `outcomes` of the agents.');
  const found = ['accessLevel', 'savedQueries'].find((key) => start[key] !== undefined);
  if (found !== undefined)
    throw new JsonFileError(`${where}.${found}`, 'is not for an agent', 'Use it with `agent`.');
}

function checkOneOf(where: string, entry: Fields, names: readonly string[]): void {
  const count = names.filter((name) => entry[name] !== undefined).length;
  if (count === 1) return;
  const what = count === 0 ? `has none of ${listed(names)}` : `has several of ${listed(names)}`;
  throw new JsonFileError(where, what, 'Use one of them.');
}

function checkOutcomes(agents: unknown): void {
  if (!Array.isArray(agents)) return;
  agents.forEach((agent: Fields, index) => {
    const { outcomes } = agent;
    if (!Array.isArray(outcomes)) return;
    outcomes.forEach((outcome: unknown, nth) => {
      checkEntry(`agents[${index}].outcomes[${nth}]`, outcome, { required: {}, optional: OUTCOME });
    });
  });
}
