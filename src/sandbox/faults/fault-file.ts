import { COUNTS, integerFrom, numberTo, OBJECT, TEXT, wordOf } from '../checks.js';
import { readJsonFile } from '../json-file.js';
import { checkField, checkObject, checkSection, type Shape } from '../json-shape.js';
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

/** Reads `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. Throws JsonFileError. */
export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  return readJsonFile(text, (plan) => {
    checkObject(plan, ['faults', 'lagMs']);
    const { faults = [], lagMs = 0 } = plan;
    checkSection('faults', faults, FAULT);
    checkField('lagMs', lagMs, numberTo(HOUR_MS));
    return { faults: faults as Fault[], lagMs: lagMs as number };
  });
}
