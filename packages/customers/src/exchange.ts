import {
  DeliveryError,
  type DeliveryFailure,
  parseRetryAfter,
  type ReadRequest,
  redactedError,
  requestHeaders,
  rootMessage,
} from '@sluice/protocol';
import { type CustomerAnswer, complaint, isCustomer, isRetryable, parseJson } from './answer.ts';
import { readBounded } from './bounded-body.ts';
import { CustomerNotFoundError } from './errors/customer-not-found-error.ts';
import type { FetchResponse } from './fetch/fetch.ts';
import type { Settings } from './options.ts';

const EXCERPT_CHARACTERS = 200;

/** Sends one request and judges its answer: the customer's JSON text, or an error. */
export async function exchange(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { url, fetch, apiKey, maxResponseBytes, isNotFound, redact } = settings;
  const request: ReadRequest = { primary_key: key };
  let response: FetchResponse;
  let redirect: boolean;
  let read: string | undefined;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: requestHeaders(apiKey),
      body: JSON.stringify(request),
      redirect: 'manual',
      signal,
    });
    redirect = isRedirect(response);
    read = redirect ? '' : await readBounded(response.body, maxResponseBytes);
  } catch (error) {
    const cause = redactedError(error, redact);
    throw failure(settings, `failed: ${rootMessage(cause)}`, { retryable: true, cause });
  }
  const { status, headers } = response;
  if (redirect) {
    const to = redact(headers.get('location') ?? 'an address that is not shown').slice(0, EXCERPT_CHARACTERS);
    throw failure(settings, `was redirected to ${to}, and redirects are not followed: correct apiUrl`, {
      status: status || undefined,
      retryable: false,
    });
  }
  const body = read ?? '';
  const answer: CustomerAnswer = { status, body, json: parseJson(body) };
  if (isNotFound(answer)) throw new CustomerNotFoundError(key, status);
  if (isCustomer(answer)) return body;
  const excerpt = redact(body).slice(0, EXCERPT_CHARACTERS);
  const what =
    read === undefined
      ? `${status} with more than maxResponseBytes (${maxResponseBytes})`
      : complaint(answer);
  throw failure(settings, `was answered ${what}${excerpt && `: ${JSON.stringify(excerpt)}`}`, {
    status,
    retryable: isRetryable(status),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), settings.clock.now()),
    excerpt,
  });
}

function isRedirect({ status, type, redirected }: FetchResponse): boolean {
  return type === 'opaqueredirect' || redirected === true || (status >= 300 && status < 400);
}

/** A `DeliveryError` that names the address, without the key. */
export function failure({ url, redact }: Settings, what: string, details: DeliveryFailure): DeliveryError {
  return new DeliveryError(redact(`POST ${url} ${what}`), details);
}
