import type { Json, JsonObject } from '../../model/json.js';
import { canonical } from '../../model/json.js';
import { FEWEST_RUNS, MOST_RUNS, medianOf } from './properties/drop.js';

/** What the runs of one agent of an entry have delivered. */
export interface DeliveredByAgent {
  /** The agent, as the entry names it. */
  readonly name: string;
  /** Its successful runs, the newest first. */
  readonly runs: readonly DeliveredRun[];
  /** The columns of its newest dataset that its sample output has, too. Null where nothing could be read. */
  readonly columns: readonly string[] | null;
  /** By column, how many rows of that dataset have no value. */
  readonly empty: ReadonlyMap<string, number>;
  readonly rowCount: number;
}

/** What is not known is null. */
export interface DeliveredRun {
  readonly records: number | null;
  /** Milliseconds. */
  readonly took: number | null;
  /** The records of the successful runs before it, the newest first. */
  readonly before: readonly number[] | null;
}

/** A value that is proposed, for each agent whose runs show one. */
interface ProposedValue {
  /** `['records', 'min']` */
  readonly path: readonly string[];
  /** Undefined for an agent whose runs do not show it. */
  readonly values: readonly (Json | undefined)[];
  /** What is said of all agents. The values of those that it does not fit are said of each. */
  readonly common: Common;
}

type Common = (values: readonly Json[]) => { readonly value: Json; fits(value: Json): boolean };

/** What an entry with these agents may expect: what their runs show, with room for what is usual. Pure. */
export function proposalOf(agents: readonly DeliveredByAgent[]): JsonObject {
  const proposed: Record<string, Json> = {};
  for (const { path, values, common } of proposals(agents)) {
    const shown = values.filter((value) => value !== undefined);
    if (shown.length === 0) continue;
    // What is said of all holds for an agent that has not shown it, too.
    const ofAll = shown.length === agents.length ? common(shown) : null;
    if (ofAll !== null) set(proposed, path, ofAll.value);
    for (const [index, { name }] of agents.entries()) {
      const value = values[index];
      if (value !== undefined && ofAll?.fits(value) !== true)
        set(proposed, ['members', name, ...path], value);
    }
  }
  return proposed;
}

function proposals(agents: readonly DeliveredByAgent[]): readonly ProposedValue[] {
  const columns = [...new Set(agents.flatMap(({ empty }) => [...empty.keys()]))];
  return [
    { path: ['records', 'min'], values: agents.map(minimumOf), common: closest },
    { path: ['records', 'drop'], values: agents.map(dropOf), common: largest(Number.parseFloat) },
    { path: ['finish'], values: agents.map(finishOf), common: largest(minutesOf) },
    { path: ['columns'], values: agents.map(columnsOf), common: mostFrequent },
    ...columns.map((column) => ({
      path: ['empty', column],
      values: agents.map((agent) => emptyOf(agent, column)),
      common: largest(Number.parseFloat),
    })),
  ];
}

function set(map: Record<string, Json>, [name = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) map[name] = value;
  else {
    const inner = { ...(map[name] as JsonObject | undefined) };
    set(inner, rest, value);
    map[name] = inner;
  }
}

/** The lowest value for as many agents as possible: those that usually deliver more than twice as much have their own. */
const closest: Common = (values) => {
  const numbers = values.map(Number).sort((a, b) => b - a);
  const isNear = (lowest: number) => (value: Json) => Number(value) >= lowest && Number(value) <= 2 * lowest;
  const near = (lowest: number) => numbers.filter(isNear(lowest)).length;
  const value = numbers.reduce((best, each) => (near(each) > near(best) ? each : best));
  return { value, fits: isNear(value) };
};

/** What none of them exceeds. */
function largest(sizeOf: (text: string) => number): Common {
  return (values) => {
    const texts = values.map(String);
    const value = texts.reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));
    return { value, fits: () => true };
  };
}

const mostFrequent: Common = (values) => {
  const number = (value: Json) => values.filter((each) => canonical(each) === canonical(value)).length;
  const value = values.reduce((most, each) => (number(each) > number(most) ? each : most));
  return { value, fits: (each) => canonical(each) === canonical(value) };
};

/** A fifth less than the lowest: sources change from day to day. */
function minimumOf({ runs }: DeliveredByAgent): number | undefined {
  const records = runs.flatMap((run) => run.records ?? []);
  if (records.length < FEWEST_RUNS) return undefined;
  const least = roundedDown(Math.min(...records) * 0.8);
  return least === 0 ? undefined : least;
}

/** To two digits: 837 is 830. */
function roundedDown(number: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 1);
  return Math.floor(number / step) * step;
}

/** Half more than the largest of them, in steps of 10%, and at least 20%. */
function dropOf({ runs }: DeliveredByAgent): string | undefined {
  const drops = runs.flatMap(({ records, before }) => {
    const earlier = (before ?? []).slice(0, MOST_RUNS);
    const usual = earlier.length < FEWEST_RUNS ? 0 : medianOf(earlier);
    return records === null || usual === 0 ? [] : [1 - records / usual];
  });
  if (drops.length < FEWEST_RUNS) return undefined;
  const percent = Math.max(20, Math.ceil(Math.max(...drops) * 15) * 10);
  return percent >= 100 ? undefined : `${percent}%`;
}

const MINUTE = 60_000;

/** Twice as long as the longest of them. */
function finishOf({ runs }: DeliveredByAgent): string | undefined {
  const times = runs.flatMap(({ took }) => took ?? []);
  if (times.length < FEWEST_RUNS) return undefined;
  const minutes = (2 * Math.max(...times)) / MINUTE;
  const few = [5, 10, 15, 20, 30, 45].find((each) => minutes <= each);
  if (few !== undefined) return `${few} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

function minutesOf(text: string): number {
  return Number.parseInt(text, 10) * (text.includes('hour') ? 60 : 1);
}

function columnsOf({ columns }: DeliveredByAgent): readonly string[] | undefined {
  return columns === null || columns.length === 0 ? undefined : columns;
}

/** Twice as many as there are, and at least 1% or one row. Nothing where more than a quarter has none. */
function emptyOf({ empty, rowCount }: DeliveredByAgent, column: string): string | undefined {
  const found = empty.get(column);
  if (found === undefined || rowCount === 0) return undefined;
  const percent = Math.ceil((Math.max(1, 2 * found) / rowCount) * 100);
  return percent > 50 ? undefined : `${percent}%`;
}
