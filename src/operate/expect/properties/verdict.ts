import type { DataJudgement } from '../../../model/run.js';
import type { DataFacts, DeliveryFacts } from '../facts.js';

/** What a property says of a run, before its verdict. */
interface Said {
  readonly property: string;
  readonly expected: string;
  readonly actual: string | null;
  /** Null by default, as all that follow. */
  readonly value?: number;
  readonly message: string;
  readonly cause?: string;
  readonly condition?: string;
}

export function verdict(isMet: boolean, said: Said): DataJudgement {
  return { value: null, cause: null, condition: null, ...said, verdict: isMet ? 'met' : 'unmet' };
}

/** `why`: `only 2 successful runs came before it`. */
export function unknown(property: string, expected: string, why: string): DataJudgement {
  const message = `expected ${expected}: unknown, because ${why}`;
  return {
    property,
    verdict: 'unknown',
    expected,
    actual: null,
    value: null,
    message,
    cause: `unknown, because ${why}`,
    condition: null,
  };
}

/** Why the data of a run says nothing; null where it can be read. */
export function whyUnreadable({ noData, data }: DeliveryFacts): string | null {
  if (noData !== null) return noData;
  return data === undefined ? 'nobody has looked at its data' : data.unreadable;
}

export function dataOf({ data }: DeliveryFacts): DataFacts {
  if (data === undefined) throw new Error('the data of a run is judged, and was not read');
  return data;
}

/** `12.3%`: as many digits as it takes to see that it is not zero. */
export function shareText(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  const digits = percent >= 10 || percent === 0 ? 0 : percent >= 1 ? 1 : 2;
  return `${Number(percent.toFixed(digits)) || Number(percent.toPrecision(1))}%`;
}
