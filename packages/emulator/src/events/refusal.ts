/**
 * Every way in which the emulator refuses a request, with its status. The interface shows no status code and no error body
 * (sections 5 and 7). So the emulator chooses them itself, and only here. The README says when each occurs.
 */
export const REFUSALS = {
  malformed_request: 400,
  malformed_json: 400,
  malformed_gzip: 400,
  missing_api_key: 401,
  malformed_authorization: 401,
  unknown_api_key: 403,
  not_operator: 403,
  unknown_path: 404,
  customer_not_found: 404,
  unknown_id: 404,
  wrong_method: 405,
  request_timeout: 408,
  version_conflict: 412,
  no_primary_key: 409,
  body_too_large: 413,
  too_many_events: 413,
  unsupported_content_type: 415,
  unsupported_content_encoding: 415,
  invalid_field: 422,
  empty_batch: 422,
  wrong_correlation_key: 422,
  nested_too_deeply: 422,
  rate_limited: 429,
  injected_fault: 503,
  storage_full: 507,
  internal_error: 500,
} as const;

/** Code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

/** The body of an answer that refuses a request. */
export interface RefusalBody {
  readonly error: { readonly code: RefusalCode; readonly message: string; readonly field?: string };
}

/** Optional details of a refusal. */
export interface RefusalDetails {
  /** The wrong field, for example `batch[3].correlationValue`. */
  readonly field?: string;
  /** Headers for the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of the answer. It overrides the table and the behaviour. */
  readonly status?: number;
}

/** Thrown to refuse a request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** The HTTP status, from the table. */
  get status(): number {
    return REFUSALS[this.code];
  }

  /** The JSON body of the answer. */
  get body(): RefusalBody {
    const { code, message, details } = this;
    const { field } = details;
    return { error: field === undefined ? { code, message } : { code, message, field } };
  }
}
