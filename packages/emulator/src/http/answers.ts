import type { Behaviour } from '../behaviour/behaviour.ts';
import type { Refusal, RefusalCode } from '../events/refusal.ts';

/** An answer of the service, as the behaviour shapes it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An event that was left out of a batch, as the answer reports it. */
export interface LeftOut {
  /** Its index in the batch, from 0. */
  readonly index: number;
  readonly uuid?: string;
  readonly code: RefusalCode;
  readonly message: string;
  readonly field: string;
}

/** Content-Type of JSON. */
export const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * The answer to a refused request. Without a behaviour, it has the status of the table and a JSON body: that is for requests
 * outside the interface.
 */
export function refusalAnswer(refusal: Refusal, behaviour?: Behaviour): Answer {
  const status = refusal.ownStatus ?? behaviour?.statuses[refusal.code] ?? refusal.status;
  switch (behaviour?.refusalBody) {
    case 'empty':
      return answer(status, null, undefined, refusal.headers);
    case 'text':
      return answer(status, refusal.message, TEXT_TYPE, refusal.headers);
    default:
      return answer(status, JSON.stringify(refusal.body), JSON_TYPE, refusal.headers);
  }
}

/** The answer to an accepted batch, also if some of its events were left out. */
export function acceptedAnswer(
  { acceptedBody, acceptedStatus, partlyAcceptedStatus }: Behaviour,
  counts: { readonly accepted: number; readonly repeated: number },
  leftOut: readonly LeftOut[],
): Answer {
  const status = leftOut.length === 0 ? acceptedStatus : partlyAcceptedStatus;
  switch (acceptedBody) {
    case 'empty':
      return answer(status, null);
    case 'text':
      return answer(status, 'OK', TEXT_TYPE);
    case 'counts': {
      const { accepted, repeated } = counts;
      const rejected = leftOut.length === 0 ? undefined : leftOut;
      return answer(status, JSON.stringify({ accepted, repeated, rejected }), JSON_TYPE);
    }
  }
}

/** Converts an answer to a response. */
export function respond({ status, headers, body }: Answer): Response {
  // HTTP allows no body with these statuses.
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}

/** Creates an answer. `type` is the Content-Type of its body. */
export function answer(
  status: number,
  body: string | null,
  type?: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
}
