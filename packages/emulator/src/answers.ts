import type { Behaviour } from './behaviour.ts';
import type { Refusal, RefusalCode } from './refusal.ts';

/** An answer, in the form that the behaviour gives it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An event that was left out of a batch, as the answer names it. */
export interface LeftOut {
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly uuid?: string;
  readonly code: RefusalCode;
  readonly message: string;
  readonly field: string;
}

/** Content-Type of JSON. */
export const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** The answer to a request that is refused. Without a behaviour: as the tables have it, which is not for the interface. */
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

/** The answer to a batch that was taken, or of which some events were left out. */
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

/** The response that carries an answer. */
export function respond({ status, headers, body }: Answer): Response {
  // HTTP knows no body with these.
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}

/** An answer with a body of this type, if any. */
export function answer(
  status: number,
  body: string | null,
  type?: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
}
