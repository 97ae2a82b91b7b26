import { type Fields, isFields } from '../body.js';
import { DURATION_EXAMPLES, durationMs } from '../durations.js';
import { SeedError } from './seed.js';

/** Checks the properties of a seed file and their types. */

interface Check {
  readonly holds: (value: unknown) => boolean;
  readonly name: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const TEXT: Check = { holds: isText, name: 'a string' };
const FLAG: Check = { holds: (value) => typeof value === 'boolean', name: 'true or false' };
const NUMBER: Check = { holds: (value) => typeof value === 'number', name: 'a number' };
const TEXTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isText),
  name: 'an array of strings',
};
const TEXT_OR_NULL: Check = { holds: (value) => value === null || isText(value), name: 'a string or null' };
const ID: Check = {
  holds: (value) => isText(value) || typeof value === 'number',
  name: 'a string or a number',
};
const OBJECTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isFields),
  name: 'an array of objects',
};
const INPUTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isInput),
  name: 'an array of { "key": string, "defaultValue": string }',
};

function isInput(value: unknown): boolean {
  return isFields(value) && isText(value.key) && isText(value.defaultValue);
}

function wordOf(...words: string[]): Check {
  return { holds: (value) => isText(value) && words.includes(value), name: `one of ${words.join(', ')}` };
}

function integerFrom(low: number, high: number): Check {
  const holds = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;
  return { holds, name: `an integer from ${low} to ${high}` };
}

function secondsTo(high: number): Check {
  const holds = (value: unknown) => typeof value === 'number' && value >= 0 && value <= high;
  return { holds, name: `a number from 0 to ${high}` };
}

const WEEK_SECONDS = 604_800;
const START = integerFrom(1, 1_000_000);
const STARTS: Check = {
  holds: (value) =>
    START.holds(value) || (Array.isArray(value) && value.length > 0 && value.every(START.holds)),
  name: 'an integer of at least 1, or a list of them',
};

const FATE = {
  result: wordOf('succeed', 'fail', 'refuse', 'lose'),
  failedRuns: integerFrom(1, 20),
  seconds: secondsTo(WEEK_SECONDS),
  records: integerFrom(0, 1_000_000),
  errors: integerFrom(0, 1_000_000),
  message: TEXT,
  anomaly: wordOf('None', 'Slow', 'Fast'),
  dataset: wordOf('Available', 'Failed', 'Stale', 'None'),
};

const OUTCOME = { nth: STARTS, ...FATE };

const OBJECT: Check = { holds: isFields, name: 'an object' };
const INSTANT: Check = {
  holds: (value) => isText(value) && INSTANT_FORM.test(value) && !Number.isNaN(Date.parse(value)),
  name: 'a time with an offset, such as 2026-12-01T06:00:00Z',
};
const INSTANT_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const DURATION: Check = {
  holds: (value) => isText(value) && durationMs(value) !== null,
  name: `a duration, such as ${DURATION_EXAMPLES}`,
};

const SETTINGS = {
  retentionDays: secondsTo(36_500),
  staggerSeconds: secondsTo(3_600),
  bulkExportSeconds: secondsTo(3_600),
  startsPerMinute: integerFrom(0, 1_000_000),
};

interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

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
      agent: TEXT,
      group: TEXT,
      pipeline: TEXT,
      schedule: ID,
      startedAt: INSTANT,
      ago: DURATION,
      inputParameters: TEXT,
      owner: TEXT,
      outcome: OBJECT,
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

const PARTS = [...Object.keys(SECTIONS), 'scopes', 'settings', '$schema'];

export function checkShape(seed: unknown): asserts seed is Fields {
  if (!isFields(seed))
    throw new SeedError('the top level', 'is not a JSON object', `Use an object with any of ${list(PARTS)}.`);
  checkKnown('the top level', seed, PARTS);
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
    if (start.outcome === undefined) return;
    checkEntry(`${where}.outcome`, start.outcome, { required: {}, optional: FATE });
    if (start.agent === undefined)
      throw new SeedError(`${where}.outcome`, 'is not for an agent', 'Use `outcomes` of the agents.');
  });
}

function checkOneOf(where: string, entry: Fields, names: readonly string[]): void {
  const count = names.filter((name) => entry[name] !== undefined).length;
  if (count === 1) return;
  const what = count === 0 ? `has none of ${list(names)}` : `has several of ${list(names)}`;
  throw new SeedError(where, what, 'Use one of them.');
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

function checkSection(name: string, entries: unknown, shape: Shape): void {
  if (entries === undefined) return;
  if (!Array.isArray(entries)) throw new SeedError(name, 'is not an array', `Write "${name}": [ … ].`);
  entries.forEach((entry: unknown, index) => {
    checkEntry(`${name}[${index}]`, entry, shape);
  });
}

function checkEntry(where: string, entry: unknown, { required, optional }: Shape): void {
  const known = { ...required, ...optional };
  if (!isFields(entry)) {
    throw new SeedError(where, 'is not an object', `Use an object with ${list(Object.keys(required))}.`);
  }
  checkKnown(where, entry, Object.keys(known));
  const missing = Object.keys(required).find((key) => entry[key] === undefined);
  if (missing) throw new SeedError(where, `has no "${missing}"`, 'Add it.');
  for (const [key, check] of Object.entries(known)) {
    if (entry[key] !== undefined) checkField(`${where}.${key}`, entry[key], check);
  }
}

function checkField(where: string, value: unknown, check: Check): void {
  if (!check.holds(value)) throw new SeedError(where, `is not ${check.name}`, `Use ${check.name}.`);
}

function checkKnown(where: string, entry: Fields, known: readonly string[]): void {
  const unknown = Object.keys(entry).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new SeedError(where, `has an unknown property "${unknown}"`, `Properties: ${list(known)}.`);
}

function list(names: readonly string[]): string {
  return names.join(', ');
}
