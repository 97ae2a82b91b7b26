import { type Fields, isFields } from '../body.js';
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
import { checkAll, JsonFileError } from '../json-file.js';
import {
  checkEntry,
  checkField,
  checkObject,
  checkSection,
  checkTogether,
  listed,
  type Shape,
} from '../json-shape.js';

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

const OUTCOME: Shape = { required: {}, optional: { nth: COUNTS, ...FATE } };

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

const OUTCOME_OF_START: Shape = { required: {}, optional: FATE };
const QUERY: Shape = { required: { name: FILLED, definition: OBJECT }, optional: {} };

const PARTS = [...Object.keys(SECTIONS), 'scopes', 'settings', '$schema'];

export function checkShape(seed: unknown): asserts seed is Fields {
  checkTogether(
    () => checkObject(seed, PARTS),
    () => isFields(seed) && checkParts(seed),
  );
}

function checkParts(seed: Fields): void {
  const { scopes, settings, agents, history } = seed;
  checkTogether(
    () => scopes !== undefined && checkField('scopes', scopes, TEXTS),
    () => settings !== undefined && checkEntry('settings', settings, { required: {}, optional: SETTINGS }),
    () => checkAll(Object.entries(SECTIONS), ([name, shape]) => checkSection(name, seed[name], shape)),
  );
  checkTogether(
    () => checkOutcomes(agents),
    () => checkHistory(history),
  );
}

function checkHistory(starts: unknown): void {
  if (!Array.isArray(starts)) return;
  checkAll(starts.entries(), ([index, start]: [number, Fields]) => checkStart(`history[${index}]`, start));
}

function checkStart(where: string, start: Fields): void {
  const { agent, outcome, savedQueries } = start;
  checkTogether(
    () => {
      checkOneOf(where, start, ['agent', 'group', 'pipeline', 'schedule']);
      if (agent === undefined) checkNoneOfAgents(where, start);
    },
    () => checkOneOf(where, start, ['startedAt', 'ago']),
    () =>
      agent !== undefined &&
      outcome !== undefined &&
      checkEntry(`${where}.outcome`, outcome, OUTCOME_OF_START),
    () => checkSection(`${where}.savedQueries`, savedQueries, QUERY),
  );
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
  checkAll(agents.entries(), ([index, agent]: [number, Fields]) =>
    checkSection(`agents[${index}].outcomes`, agent.outcomes, OUTCOME),
  );
}
