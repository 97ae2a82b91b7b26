import { isJsonObject } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import { looseId } from './operations/record.js';

/** What an item may call its own id, best first: a job also has the id of its schedule. */
const idNames = [
  'id',
  'agentJobHistoryId',
  'agentRunHistoryId',
  'groupRunId',
  'pipelineRunId',
  'scheduleId',
  'keyId',
];

/** An id on two pages means that the list changed while it was read, so that an item may be missing. */
export function checkRepeats(items: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const item of items) {
    const value = ownId(item);
    if (value === undefined) continue;
    const { id } = looseId(value, 'id');
    if (seen.has(id)) throw new Unexpected(`expected each id once, got ${id} twice`);
    seen.add(id);
  }
}

/** A service that ignores which page it is asked for answers with the same one. Where items have ids, these are compared. */
export function checkPages(pages: readonly (readonly unknown[])[]): void {
  const withoutIds = pages.filter((items) => items.some((item) => ownId(item) === undefined));
  const texts = withoutIds.map((items) => JSON.stringify(items));
  if (new Set(texts).size < texts.length) throw new Unexpected('expected each page once, got one twice');
}

function ownId(item: unknown): unknown {
  if (!isJsonObject(item)) return undefined;
  for (const name of idNames) {
    const id = item[name];
    if (id !== undefined && id !== null) return id;
  }
  return undefined;
}
