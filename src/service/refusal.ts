import { parseJson } from '../model/json.js';
import { BudgetError, sizeText } from './byte-budget.js';
import { explainText, isPage } from './explain.js';
import { type Certainty, type FailureFacts, ServiceFailure } from './failure.js';
import { codeOf, firstHeader, type Reply } from './http.js';
import { reasonFor } from './no-answer.js';
import { retryAfterMs } from './retry-after.js';
import { placeText, type ServicePlace } from './service-place.js';
import type { ServiceWords } from './service-words.js';

/** Statuses for which HTTP allows another attempt a moment later. */
const transient = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Enough of an error page to find its message. */
const MAX_ERROR_BYTES = 65_536;

/** The failure for an answer that is not a success (interface §7). `subject` is the method and path of the request. */
export function refusal(
  subject: string,
  reply: Reply,
  words: ServiceWords,
  place: ServicePlace,
): ServiceFailure {
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
    ...meaning(status, parseJson(body) !== undefined && !listRequests.test(subject), place),
    ...(isPage(body) ? { isPage: true, ...pageHelp(status, place) } : {}),
    message: message === '' ? said : `${said}: ${message}`,
    ...(message === '' ? {} : { reason: message }),
  });
}

/** A 408 does not say what the service did before it stopped waiting, and a 303 may follow a success. */
function certaintyOf(status: number): Certainty {
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unknown';
}

/** The wrong place is a likely reason for most of these, so the help says which it was, and where its URL comes from. */
function meaning(
  status: number,
  isAboutObject: boolean,
  place: ServicePlace,
): Pick<FailureFacts, 'code' | 'help'> {
  const base = placeText(place);
  if (status === 401)
    return {
      code: 'unauthorized',
      help: `Check that \`ROSTER_API_KEY\` is a key of ${base}: creating a key revokes the previous one.`,
    };
  if (status === 403)
    return {
      code: 'forbidden',
      help: 'The API key or its user lacks the permission: request it, or use another key.',
    };
  if (status >= 500)
    return { code: 'service-error', help: `The service at ${base} has a problem: try again later.` };
  // The service says of which object it knows nothing.
  if (status === 404 && isAboutObject) return { code: 'service-error' };
  const help = status === 404 && hasPrefix(place) ? prefixHelp(base) : placeHelp(status, base);
  return help === undefined ? { code: 'service-error' } : { code: 'service-error', help };
}

/** Every service has these, whatever it holds. */
const listRequests = /^GET \/api\/(?:scraper-agents|search-groups|pipelines|schedules|api-keys)$/;

/** All paths begin with it (interface §1.1), and roster adds it. */
function hasPrefix({ base }: ServicePlace): boolean {
  return /\/api\/*$/.test(base.pathname);
}

function prefixHelp(base: string): string {
  return `Remove \`/api\` from ${base}: roster adds it.`;
}

function placeHelp(status: number, base: string): string | undefined {
  if (status === 404) return `Check that ${base} is the base URL of the service.`;
  if (status === 407) return `A proxy on the way to ${base} requires a sign-in.`;
  return status === 429 ? `The limit is that of ${base}, or of a proxy in front of it.` : undefined;
}

/** The service answers in JSON (interface §1.3), so a web page is from something else. */
function pageHelp(status: number, place: ServicePlace): Pick<FailureFacts, 'help'> {
  const page = 'The response is a web page, not JSON.';
  const base = placeText(place);
  switch (status) {
    case 401:
    case 403:
      return {
        help: `${page} A proxy or a sign-in page may have responded instead of the service: check that ${base} is its base URL. Otherwise, check \`ROSTER_API_KEY\`.`,
      };
    case 402:
    case 410:
      return {
        help: `${page} A proxy may have responded instead of the service: check that ${base} is its base URL.`,
      };
    case 404:
    case 407:
    case 429:
      return { help: `${page} ${placeHelp(status, base)}` };
    default:
      return {};
  }
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
