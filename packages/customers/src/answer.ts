import { describe } from '@sluice/protocol';

/** What the service answered, as `isNotFound` is given it. Redirects never get there. */
export interface CustomerAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The body's text; empty where it was larger than `maxResponseBytes`. */
  readonly body: string;
  /** The body's value where it is JSON, else undefined. */
  readonly json: unknown;
}

/** Whether an answer is a customer: a success whose body is a JSON object. */
export function isCustomer({ status, json }: CustomerAnswer): boolean {
  return isSuccess(status) && typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Says what was wrong with an answer that is not a customer. */
export function complaint({ status, body, json }: CustomerAnswer): string {
  if (!isSuccess(status)) return status === 401 || status === 403 ? `${status}: check apiKey` : `${status}`;
  const came =
    body === '' ? 'an empty body' : json === undefined ? 'a text that is not JSON' : describe(json);
  return `${status} with ${came} where a JSON object was due`;
}

/** Whether the same request may succeed later. */
export function isRetryable(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
