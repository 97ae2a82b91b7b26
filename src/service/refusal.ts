import { BudgetError, sizeText } from './byte-budget.js';
import { explainText, oneLine } from './explain.js';
import { type Certainty, type FailureFacts, ServiceFailure } from './failure.js';
import { codeOf, DeadlineError, firstHeader, type NoReply, NotAllowed, type Reply } from './http.js';
import { retryAfterMs } from './retry-after.js';
import type { ServiceWords } from './service-words.js';

/** Statuses for which HTTP allows another attempt a moment later. */
const transient = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Enough of an error page to find its message. */
const MAX_ERROR_BYTES = 65_536;

/** The failure for an answer that is not a success (interface §7). `subject` is the method and path of the request. */
export function refusal(subject: string, reply: Reply, words: ServiceWords): ServiceFailure {
  const { status } = reply;
  const body = new TextDecoder().decode(reply.body.subarray(0, MAX_ERROR_BYTES));
  const { message, errorCode } = explainText(body, words);
  const base = {
    status,
    errorCode,
    certainty: certaintyOf(status),
    transient: transient.has(status),
    retryAfterMs: retryAfterMs(firstHeader(reply, 'retry-after'), firstHeader(reply, 'date')),
  };
  if (status < 300) {
    const said = `${subject} returned ${status}, which is not the status of a complete response`;
    return new ServiceFailure({ ...base, code: 'unexpected-response', message: said });
  }
  if (status < 400) return new ServiceFailure({ ...base, ...redirect(subject, reply, words) });
  const said = `${subject} returned ${status}${errorCode === null ? '' : ` ${errorCode}`}`;
  return new ServiceFailure({
    ...base,
    ...meaning(status),
    message: message === '' ? said : `${said}: ${message}`,
  });
}

/** A 408 does not say what the service did before it stopped waiting, and a 303 may follow a success. */
function certaintyOf(status: number): Certainty {
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unknown';
}

function meaning(status: number): Pick<FailureFacts, 'code' | 'help'> {
  if (status === 401)
    return { code: 'unauthorized', help: 'Check `ROSTER_API_KEY`: creating a key revokes the previous one.' };
  if (status === 403)
    return {
      code: 'forbidden',
      help: 'The API key or its user lacks the permission: request it, or use another key.',
    };
  if (status >= 500) return { code: 'service-error', help: 'The service has a problem: try again later.' };
  return { code: 'service-error' };
}

/** Following a redirect would send the API key to any address that the answer names. */
function redirect(
  subject: string,
  reply: Reply,
  words: ServiceWords,
): Pick<FailureFacts, 'code' | 'message' | 'help'> {
  const location = firstHeader(reply, 'location');
  const to = location !== null && URL.canParse(location) ? ` to ${words.text(new URL(location).origin)}` : '';
  return {
    code: 'unexpected-response',
    message: `${subject} returned ${reply.status}, a redirect${to}; redirects are not followed`,
    help: 'Set the URL of the service itself.',
  };
}

/** A success with an incomplete body. `maxBytes` is the largest one allowed. */
export function incompleteAnswer(
  subject: string,
  { status, truncated }: Reply,
  maxBytes: number,
): ServiceFailure {
  const isOver = truncated !== null && codeOf(truncated) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  const tooLong = isOver || truncated instanceof BudgetError;
  const why = isOver
    ? `the response is larger than the limit of ${sizeText(maxBytes)}`
    : reasonFor(truncated);
  return new ServiceFailure({
    code: tooLong ? 'unexpected-response' : 'service-error',
    message: `${subject} returned ${status}, then failed: ${why}`,
    status,
    transient: !tooLong,
  });
}

/** The wrong host is a likely reason: the message says which it was, and where its URL comes from. */
export function noAnswer(
  subject: string,
  { cause, code, sent }: NoReply,
  { host, urlFrom }: { readonly host: string; readonly urlFrom?: string | undefined },
): ServiceFailure {
  if (cause instanceof NotAllowed) {
    const message = `${subject} was not sent: ${cause.message}`;
    return new ServiceFailure({ code: 'locked', message, certainty: 'not-sent' });
  }
  const certificate = !sent && code !== null && certificateCode.test(code);
  return new ServiceFailure({
    // The answer is not HTTP. The error's code depends on where the parser stopped.
    code:
      cause instanceof Error && cause.name === 'HTTPParserError' ? 'unexpected-response' : 'service-error',
    message: `${subject} to ${host}${urlFrom === undefined ? '' : ` (from ${urlFrom})`} failed: ${reasonFor(cause)}`,
    ...(sent
      ? {}
      : { help: certificate ? certificates : 'Check the URL of the service and the network connection.' }),
    certainty: sent ? 'unknown' : 'not-sent',
    transient: cause instanceof DeadlineError || (code !== null && transientCode.test(code)),
  });
}

const certificates =
  'To trust another certificate authority, set NODE_EXTRA_CA_CERTS to a file with its certificate.';

/** Other errors, such as a wrong certificate or an answer that is not HTTP, do not go away by themselves. */
const transientCode =
  /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

const certificateCode = /^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;

const words = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name lookup failed'],
  ['ECONNRESET', 'the connection was reset'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
]);

function reasonFor(error: unknown): string {
  if (error instanceof DeadlineError || error instanceof BudgetError) return error.message;
  if (!(error instanceof Error)) return 'no response';
  const code = codeOf(error);
  if (code === null) return oneLine(error.message);
  const known = words.get(code);
  return known === undefined ? `${oneLine(error.message)} (${code})` : `${known} (${code})`;
}
