import { type Api, ApiFailure } from './requests.js';

/** What a setting of the host should be, and whether it is. */
export interface SettingCheck {
  /** `unknown` where the token may not read it. */
  readonly state: 'ok' | 'missing' | 'unknown';
  readonly what: string;
  /** Where it is set. */
  readonly page: string;
}

/** The environments of jobs that only read, and of those that apply. */
export interface Deployments {
  readonly reading: readonly string[];
  readonly applying: readonly string[];
}

export async function check(
  what: string,
  page: string,
  isSet: () => Promise<boolean>,
): Promise<SettingCheck> {
  try {
    return { state: (await isSet()) ? 'ok' : 'missing', what, page };
  } catch (failure) {
    if (failure instanceof ApiFailure && [401, 403, 404].includes(failure.status))
      return { state: 'unknown', what, page };
    throw failure;
  }
}

export async function orNull<T>(api: Api, path: string): Promise<T | null> {
  try {
    return await api.get<T>(path);
  } catch (failure) {
    if (failure instanceof ApiFailure && failure.status === 404) return null;
    throw failure;
  }
}

export async function exists(api: Api, path: string): Promise<boolean> {
  return (await orNull(api, path)) !== null;
}
