import { Glob } from '../model/glob.js';
import { object, type Shape } from '../model/shape.js';
import { type Api, ApiFailure } from './requests.js';

/** What a setting of the host should be, and whether it is. */
export interface SettingCheck {
  /** `unknown` where the token may not read it. */
  readonly state: 'ok' | 'missing' | 'unknown';
  readonly what: string;
  /** Why it is missing, where that is not plain. */
  readonly detail?: string;
  /** Where it is set. */
  readonly page: string;
}

/** The environments of jobs that only read, and of those that apply. */
export interface Deployments {
  readonly reading: readonly string[];
  readonly applying: readonly string[];
}

/** `isSet` returns whether it is as it should be, or why not. */
export async function check(
  what: string,
  page: string,
  isSet: () => Promise<boolean | string>,
): Promise<SettingCheck> {
  try {
    const found = await isSet();
    if (typeof found === 'string') return { state: 'missing', what, detail: found, page };
    return { state: found ? 'ok' : 'missing', what, page };
  } catch (failure) {
    if (failure instanceof ApiFailure && [401, 403, 404].includes(failure.status))
      return { state: 'unknown', what, page };
    throw failure;
  }
}

export async function orNull<T>(api: Api, path: string, shape: Shape<T>): Promise<T | null> {
  try {
    return await api.get(path, shape);
  } catch (failure) {
    if (failure instanceof ApiFailure && failure.status === 404) return null;
    throw failure;
  }
}

export async function exists(api: Api, path: string): Promise<boolean> {
  return (await orNull(api, path, object({}))) !== null;
}

/** A job that runs every night has run by then, even if it was delayed. */
const NIGHTLY_MS = 2 * 86_400_000;

/**
 * Whether what is due every night has run of late, or since when not. `last` is its last run, and null if there was none;
 * what was only set up after `since` is not late.
 */
export function ranOfLate(now: Date, last: string | null, since: string | null): boolean | string {
  const time = Date.parse(last ?? since ?? '');
  if (now.getTime() - time <= NIGHTLY_MS) return true;
  return last === null ? 'it has never run' : `it has not run since ${last.slice(0, 10)}`;
}

/** Whether a name in which only `*` has a meaning stands for this one. */
export function covers(pattern: string, name: string): boolean {
  const glob = pattern.replace(/[?[\]{}\\]/g, '\\$&').replace(/\*+/g, '*');
  return new Glob(glob, { crossing: true }).matches(name);
}
