/**
 * Every way in which the emulator refuses a request. The interface shows no status code and no error body (sections 5 and 7). So
 * the emulator chooses them itself, and only in this table.
 */
export const REFUSALS = {
  malformed_request: { status: 400, when: 'The request line or the Host header cannot be understood' },
  malformed_json: { status: 400, when: 'The body is not JSON in UTF-8' },
  malformed_gzip: { status: 400, when: 'The body is not gzip, though Content-Encoding says so' },
  missing_api_key: { status: 401, when: 'There is no Authorization header' },
  malformed_authorization: { status: 401, when: 'The Authorization header is not `Api-Key <API_KEY>`' },
  unknown_api_key: { status: 403, when: 'The API key was never made, or was revoked' },
  not_operator: {
    status: 403,
    when: "Pages and admin routes: from another site, or without the operator's token where one is needed",
  },
  unknown_path: {
    status: 404,
    when: 'No such path at this base address (also: trailing slash missing, or the other base address is meant)',
  },
  customer_not_found: { status: 404, when: 'No customer has this primary key value' },
  unknown_id: { status: 404, when: 'Admin routes: there is nothing with this id' },
  wrong_method: { status: 405, when: 'The path takes another method, named in the Allow header' },
  version_conflict: {
    status: 412,
    when: 'Admin routes: the customer is no longer the one that If-Match names',
  },
  no_primary_key: { status: 409, when: 'No primary key has been selected yet' },
  body_too_large: { status: 413, when: 'The body is larger than `maxBodyBytes`' },
  too_many_events: { status: 413, when: '`batch` holds more events than `maxEvents`' },
  unsupported_content_type: { status: 415, when: 'Content-Type is not `application/json`' },
  unsupported_content_encoding: {
    status: 415,
    when: 'The body is compressed, and not as `compression` allows',
  },
  invalid_field: { status: 422, when: 'A field is missing or breaks a rule of section 2; `field` names it' },
  empty_batch: { status: 422, when: '`batch` holds no event' },
  wrong_correlation_key: { status: 422, when: '`correlationKey` is not the selected primary key' },
  nested_too_deeply: { status: 422, when: 'The body is nested more than 10,000 levels deep' },
  rate_limited: { status: 429, when: 'More requests in a second than `maxRequestsPerSecond`' },
  injected_fault: { status: 503, when: 'A fault was switched on, and answers with a status of its own' },
  storage_full: { status: 507, when: 'The disk that holds the data directory is full; nothing was stored' },
  internal_error: { status: 500, when: 'A defect of the emulator; its log says more' },
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
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Status that overrides the table and the behaviour. */
  readonly ownStatus: number | undefined;

  constructor(code: RefusalCode, message: string, { field, headers = {}, status }: RefusalDetails = {}) {
    super(message);
    this.ownStatus = status;
    this.code = code;
    this.field = field;
    this.headers = headers;
  }

  /** The HTTP status, from the table. */
  get status(): (typeof REFUSALS)[RefusalCode]['status'] {
    return REFUSALS[this.code].status;
  }

  /** The JSON body of the answer. */
  get body(): RefusalBody {
    const { code, message, field } = this;
    return { error: field === undefined ? { code, message } : { code, message, field } };
  }
}
