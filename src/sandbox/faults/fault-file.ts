import { type Fields, isFields } from '../body.js';
import { FAULT_TYPES, type Fault, type FaultPlan } from './faults.js';

/** Reads a faults file: `{ "faults": [ { "act": "lose", "method": "POST", "nth": 1 } ], "lagMs": 2000 }`. */

/** Says what is wrong with a faults file. */
export class FaultError extends Error {}

export function parseFaults(text: string): Pick<FaultPlan, 'faults' | 'lagMs'> {
  const value = readJson(text);
  if (!isFields(value)) throw new FaultError('the file is not a JSON object');
  const { faults = [], lagMs = 0, ...rest } = value;
  refuseUnknown(rest, 'the file');
  if (!Array.isArray(faults)) throw new FaultError('"faults" is not an array');
  if (typeof lagMs !== 'number' || !(lagMs >= 0))
    throw new FaultError('"lagMs" is not a number of at least 0');
  return { faults: faults.map(readFault), lagMs };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FaultError('the file is not JSON');
  }
}

function readFault(value: unknown, index: number): Fault {
  const where = `fault ${index + 1}`;
  if (!isFields(value)) throw new FaultError(`${where} is not an object`);
  const { act, method, path, body, location, nth, status, requests, ms, headers, ...rest } = value;
  refuseUnknown(rest, where);
  if (typeof act !== 'string' || !Object.hasOwn(FAULT_TYPES, act))
    throw new FaultError(`${where}: "act" must be one of ${Object.keys(FAULT_TYPES).join(', ')}`);
  for (const [key, each] of Object.entries({ method, path, body, location }))
    if (each !== undefined && typeof each !== 'string')
      throw new FaultError(`${where}: "${key}" is not a string`);
  if (method !== undefined && !METHODS.includes(String(method)))
    throw new FaultError(`${where}: "method" must be one of ${METHODS.join(', ')}`);
  const counts = Array.isArray(nth) && nth.length > 0 ? nth : [nth];
  for (const each of counts) checkInteger(where, 'nth', each, { low: 1, high: 1e9 });
  checkInteger(where, 'status', status, { low: 200, high: 599 });
  checkInteger(where, 'requests', requests, { low: 1, high: 1e9 });
  checkInteger(where, 'ms', ms, { low: 0, high: 3_600_000 });
  if (headers !== undefined && !isFields(headers))
    throw new FaultError(`${where}: "headers" is not an object`);
  return value as unknown as Fault;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function checkInteger(
  where: string,
  key: string,
  value: unknown,
  range: { low: number; high: number },
): void {
  if (value === undefined) return;
  const isInteger = typeof value === 'number' && Number.isSafeInteger(value);
  if (isInteger && value >= range.low && value <= range.high) return;
  throw new FaultError(`${where}: "${key}" is not an integer from ${range.low} to ${range.high}`);
}

function refuseUnknown(rest: Fields, where: string): void {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new FaultError(`${where} has an unknown property "${name}"`);
}
