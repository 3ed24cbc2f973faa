/** A text in PEM form, or its bytes. */
type Pem = string | Uint8Array;

/** Node: how Sluice connects to the service. */
export interface ConnectOptions {
  /** The certificates of the authorities that Sluice trusts. They replace those that Node trusts. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** mTLS: the certificate of this client. Needs `key`. */
  readonly cert?: Pem | undefined;
  /** mTLS: the private key of `cert`. */
  readonly key?: Pem | undefined;
  /** The passphrase of `key`. */
  readonly passphrase?: string | undefined;
  /** The name that the certificate of the service must have. Default: the host of `baseUrl`. */
  readonly servername?: string | undefined;
  /** Whether the certificate of the service is checked. If not, anybody can read the key and the events. Default: true. */
  readonly rejectUnauthorized?: boolean | undefined;
  /** Path of the Unix socket of the service. Then `baseUrl` decides only the path of requests and the header `Host`. */
  readonly socketPath?: string | undefined;
  /** Whether Sluice speaks HTTP/2 if the service does, over TLS. A connection still has one request at a time. Default: false. */
  readonly allowH2?: boolean | undefined;
}

/** Anything that dispatches requests as undici 7 does: its `ProxyAgent`, `Agent`, `MockAgent` and others. */
export interface RequestDispatcher {
  dispatch(request: DispatchedRequest, handler: DispatchHandler): boolean;
}

interface DispatchedRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** 0: Sluice has time-outs of its own. */
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

interface DispatchHandler {
  /** There is a connection. The request is sent next, unless the controller aborts it. */
  onRequestStart(controller: DispatchController, context: unknown): void;
  onResponseStart(controller: DispatchController, status: number, headers: AnswerHeaders): void;
  onResponseData(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd(controller: DispatchController, trailers: AnswerHeaders): void;
  onResponseError(controller: DispatchController, error: Error): void;
}

interface DispatchController {
  abort(reason: Error): void;
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;
