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

/** An answer with a body of JSON. */
export function jsonAnswer(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return { status, body: JSON.stringify(value), headers: { ...headers, 'content-type': 'application/json' } };
}

/**
 * The answer to a refused request. Without a behaviour, it has the status of the table and a JSON body: that is for requests
 * outside the interface.
 */
export function refusalAnswer(refusal: Refusal, behaviour?: Behaviour): Answer {
  const { body, message, details } = refusal;
  const { headers = {}, status = behaviour?.statuses[refusal.code] ?? refusal.status } = details;
  if (behaviour?.refusalBody === 'empty') return { status, headers, body: null };
  return behaviour?.refusalBody === 'text'
    ? textAnswer(status, message, headers)
    : jsonAnswer(status, body, headers);
}

/** The answer to an accepted batch, also if some of its events were left out. */
export function acceptedAnswer(
  { acceptedBody, acceptedStatus, partlyAcceptedStatus }: Behaviour,
  { accepted, repeated }: { readonly accepted: number; readonly repeated: number },
  leftOut: readonly LeftOut[],
): Answer {
  const rejected = leftOut.length === 0 ? undefined : leftOut;
  const status = rejected === undefined ? acceptedStatus : partlyAcceptedStatus;
  if (acceptedBody === 'empty') return { status, headers: {}, body: null };
  return acceptedBody === 'text'
    ? textAnswer(status, 'OK')
    : jsonAnswer(status, { accepted, repeated, rejected });
}

/** Whether an answer is sent with a body. HTTP allows none with some statuses. */
export function hasBody({ status, body }: Answer): boolean {
  return body !== null && ![204, 205, 304].includes(status);
}

/** Converts an answer to a response. */
export function respond(answer: Answer): Response {
  const { status, headers, body } = answer;
  return new Response(hasBody(answer) ? body : null, { status, headers });
}

/** Streams texts. The next one is made only when the previous one has been sent. So a slow reader delays only itself. */
export function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void texts.return(undefined),
  });
}

function textAnswer(status: number, body: string, headers: Answer['headers'] = {}): Answer {
  return { status, body, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } };
}
