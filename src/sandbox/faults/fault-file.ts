import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Fields, isFields } from '../body.js';
import { COUNTS, integerFrom, numberTo, OBJECT, TEXT, wordOf } from '../checks.js';
import { checkAll, JsonFileError, readJsonFile } from '../json-file.js';
import { checkField, checkObject, checkSection, checkTogether, type Shape } from '../json-shape.js';
import { FAULT_TYPES, type Fault, type FaultPlan } from './faults.js';

const HOUR_MS = 3_600_000;

const FAULT: Shape = {
  required: { act: wordOf(...Object.keys(FAULT_TYPES)) },
  optional: {
    method: wordOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: TEXT,
    nth: COUNTS,
    status: integerFrom(200, 599),
    body: TEXT,
    headers: OBJECT,
    location: TEXT,
    requests: integerFrom(1, 1_000_000),
    ms: integerFrom(0, HOUR_MS),
  },
};

/** What a response cannot be made up without. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['status', 'status'],
  ['status-after', 'status'],
  ['redirect', 'location'],
]);

/** Reads `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. Throws JsonFileError. */
export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  return readJsonFile(text, (plan) => {
    checkPlan(plan);
    const { faults = [], lagMs = 0 } = plan;
    return { faults: faults as Fault[], lagMs: lagMs as number };
  });
}

function checkPlan(plan: unknown): asserts plan is Fields {
  checkTogether(
    () => checkObject(plan, ['faults', 'lagMs']),
    () => isFields(plan) && checkParts(plan),
  );
}

function checkParts({ faults = [], lagMs = 0 }: Fields): void {
  checkTogether(
    () => checkSection('faults', faults, FAULT),
    () => checkField('lagMs', lagMs, numberTo(HOUR_MS)),
  );
  checkAll((faults as Fields[]).entries(), ([index, fault]) => checkFault(`faults[${index}]`, fault));
}

function checkFault(where: string, { act, headers = {}, ...fault }: Fields): void {
  const need = NEEDED.get(act as string);
  checkTogether(
    () => {
      if (need === undefined || fault[need] !== undefined) return;
      throw new JsonFileError(where, `has no "${need}", which "${act}" needs`, 'Add it.');
    },
    () =>
      checkAll(Object.entries(headers as Fields), ([name, value]) => {
        checkField(`${where}.headers.${name}`, value, TEXT);
        checkHeader(`${where}.headers.${name}`, name, value as string);
      }),
  );
}

/** Node refuses others only when the response is written. */
function checkHeader(where: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new JsonFileError(where, 'cannot be sent as a header', 'Correct its name or its value.');
  }
}
