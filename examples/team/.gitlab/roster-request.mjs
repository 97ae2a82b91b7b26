// Sends requests to the API of the host, and runs git. What fails for a moment is tried again, unless it could then be done twice.
import { spawnSync } from 'node:child_process';
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

/**
 * Runs git, and returns what it prints. If the network fails, a fetch or a push is tried again: the same push cannot be done
 * twice. What the remote refuses is not.
 */
export function runGit(words, options) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, stdout, stderr, error } = spawnSync('git', words, {
      encoding: 'utf8',
      ...options,
      // Messages are recognized in English.
      env: { ...process.env, LC_ALL: 'C' },
    });
    process.stderr.write(stderr ?? '');
    if (status === 0) return stdout.trim();
    const isLast = attempt === ATTEMPTS || !isNetworkFailure(stderr);
    if (isLast) throw error ?? Object.assign(new Error(`git failed with exit code ${status}`), { status });
    const wait = Math.random() * 2 ** attempt;
    console.error(`git: the network failed. Trying again in ${Math.ceil(wait)} s.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait * 1000);
  }
}

function isNetworkFailure(stderr) {
  const isRefused = /rejected\]|Authentication failed|Permission denied|denied to/.test(stderr);
  return !isRefused && networkFailures.test(stderr);
}

const networkFailures =
  /Could not resolve|Failed to connect|Couldn't connect|Connection (refused|timed out|reset|closed)|No route to host|unreachable|timed out|hung up unexpectedly|early EOF|RPC failed|Empty reply|gnutls_handshake|SSL_ERROR_SYSCALL|returned error: (429|5\d\d)/i;
// Written by roster init; its hash is a9d20f7b7f5d8514.
