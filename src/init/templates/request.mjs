// Sends requests to the API of the host. Those that fail for a moment are sent again, unless they could then be done twice.
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 5;
/** Longer waits would use up the time of the job. */
const LONGEST = 120;

/** The parsed JSON of the response. */
export async function request(method, url, { headers, body }) {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, failure, seconds } = await tried(method, url, { headers, body });
    if (failure === undefined) return answer;
    if (seconds === undefined || seconds > LONGEST || attempt === ATTEMPTS) throw failure;
    const wait = seconds ?? Math.random() * 2 ** attempt;
    console.error(`${failure.message}. Trying again in ${Math.ceil(wait)} s.`);
    await sleep(wait * 1000);
  }
}

/** With `seconds`, it may be sent again after so long, or, with null, after a wait that grows. */
async function tried(method, url, { headers, body }) {
  const { host, pathname: path } = new URL(url);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return { answer: await response.json() };
    const { status } = response;
    const failure = Object.assign(new Error(`${method} ${path}: ${host} responded with ${status}`), {
      status,
    });
    return { failure, seconds: isAgain(method, response) ? waitOf(response) : undefined };
  } catch (thrown) {
    const why = thrown.cause?.code ?? thrown.name;
    const failure = new Error(`${method} ${path}: ${thrown.cause?.message || thrown.message}`, {
      cause: thrown,
    });
    return { failure, seconds: isBrief(why) && (isRepeatable(method) || isUnsent(why)) ? null : undefined };
  }
}

/** A host that limits requests has not done this one. After any other failure, a POST may have been done. */
function isAgain(method, { status, headers }) {
  const isLimited =
    status === 429 ||
    (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'));
  return isLimited || (status >= 500 && isRepeatable(method));
}

function isRepeatable(method) {
  return method !== 'POST';
}

/** Not a redirect or a certificate that is not trusted. */
function isBrief(why) {
  return (
    isUnsent(why) || ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'TimeoutError'].includes(why) || /^UND_/.test(why)
  );
}

/** No connection was made. */
function isUnsent(why) {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(why);
}

/** In seconds, as the response says, or null. */
function waitOf({ headers }) {
  const after = headers.get('retry-after');
  const reset = headers.get('x-ratelimit-remaining') === '0' ? headers.get('x-ratelimit-reset') : null;
  const until = after === null ? Number(reset) * 1000 : Date.parse(after);
  if (/^\d+$/.test(after ?? '')) return Number(after);
  if ((after ?? reset) === null || Number.isNaN(until)) return null;
  return Math.max(0, (until - Date.now()) / 1000);
}
