import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError } from '@sluice/protocol';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { buildConnector, type Dispatcher } from 'undici/index.js';
import type { ConnectOptions, RequestDispatcher } from './connect-options.ts';
import { ExitBudget } from './exit-budget.ts';
import { followSlash } from './slash-redirect.ts';
import { TimeLimits } from './time-limits.ts';
import {
  type Answer,
  MAX_ANSWER_BYTES,
  type Outcome,
  type Transport,
  type TransportRequest,
} from './transport.ts';
import { environmentProxy, UndiciConnection } from './undici-connection.ts';

const EXIT_BUDGET_MS = 2_000;

type ConnectorOptions = buildConnector.BuildOptions;
type Controller = Pick<Dispatcher.DispatchController, 'abort'>;
type Limits = Pick<TransportRequest, 'timeouts' | 'signal'>;

/** Options of an `UndiciTransport`. */
export interface UndiciTransportOptions {
  /** How to connect to the service. */
  readonly connect?: ConnectOptions | undefined;
  /** Sends the requests. Default: connections of the transport's own, or the proxies that the environment names. */
  readonly dispatcher?: RequestDispatcher | undefined;
  /** How long pending requests keep a process alive that has nothing else to do, in milliseconds. Default: 2,000. */
  readonly exitBudgetMs?: number | undefined;
}

/**
 * Posts with undici over kept-alive connections, one for each request at the same time. Node's own redirects, retries and
 * decompression are not used. Neither is undici's pool, except for proxies: it keeps a connection idle for one turn of the
 * event loop before it uses it again, and does not tell which connection a request uses.
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', transport: new UndiciTransport({ connect: { ca } }) });
 */
export class UndiciTransport implements Transport {
  readonly releasesBody: boolean;
  readonly #connector: buildConnector.connector;
  readonly #proxy: ReturnType<typeof environmentProxy>;
  readonly #dispatcher: RequestDispatcher | undefined;
  readonly #exitBudget: ExitBudget;
  #isAnswered = false;
  /** Requests of which it is not known that they never arrived. */
  #unknown = 0;
  readonly #post = followSlash((request) => this.#send(request));
  #connections: readonly UndiciConnection[] = [];

  /** @throws A ConfigError if Node cannot use a certificate or a key, or if a proxy of the environment is not a URL. */
  constructor({ connect = {}, dispatcher, exitBudgetMs = EXIT_BUDGET_MS }: UndiciTransportOptions = {}) {
    this.#exitBudget = new ExitBudget(exitBudgetMs);
    const options = connectorOptions(connect);
    this.#connector = buildConnector(options);
    if (dispatcher === undefined && connect.socketPath === undefined) this.#proxy = environmentProxy(options);
    this.#dispatcher = dispatcher ?? this.#proxy;
    // A dispatcher, or HTTP/2, may still read a body after the answer.
    this.releasesBody = this.#dispatcher === undefined && !connect.allowH2;
  }

  get isUnanswered(): boolean | undefined {
    return !this.#isAnswered && this.#unknown === 0 ? undefined : !this.#isAnswered;
  }

  async post(request: TransportRequest): Promise<Outcome> {
    this.#exitBudget.begin();
    this.#unknown += 1;
    const outcome = await this.#post(request);
    this.#exitBudget.end();
    if (outcome.kind === 'answered') this.#isAnswered = true;
    else if (!outcome.maybeSent) this.#unknown -= 1;
    return outcome;
  }

  async close(): Promise<void> {
    await Promise.all([this.#proxy?.destroy(), ...this.#connections.map((connection) => connection.close())]);
  }

  #send({ url, headers, body, timeouts, signal }: TransportRequest): Promise<Outcome> {
    if (signal.aborted) return Promise.resolve({ kind: 'failed', cause: signal.reason, maybeSent: false });
    const { origin, pathname, search } = new URL(url);
    const request = {
      origin,
      path: pathname + search,
      method: 'POST' as const,
      // A copy for each request: undici's proxies add some.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const connection = this.#dispatcher ? undefined : this.#connectionTo(origin);
    if (connection) connection.isFree = false;
    return new Promise((resolve) => {
      const exchange = new Exchange({ timeouts, signal }, (outcome, isComplete) => {
        if (connection) this.#release(connection, isComplete && isHealthy(outcome));
        else if (!isComplete) exchange.abort();
        resolve(outcome);
      });
      try {
        (this.#dispatcher ?? connection?.client)?.dispatch(request, exchange);
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
    });
  }

  #connectionTo(origin: string): UndiciConnection {
    const free = this.#connections.find((each) => each.isFree && each.origin === origin);
    if (free !== undefined) return free;
    const connection = new UndiciConnection(origin, this.#connector);
    this.#connections = [...this.#connections, connection];
    return connection;
  }

  /**
   * Keeps a connection for the next request, or closes it, even in the middle of an answer: the rest must not be read as the answer to
   * another request. Closes it, too, if the answer came before the whole body was sent: then nothing reads the body any more.
   */
  #release(connection: UndiciConnection, mayServe: boolean): void {
    connection.isFree = mayServe && !connection.isWriting;
    if (connection.isFree) return;
    this.#connections = this.#connections.filter((each) => each !== connection);
    void connection.close();
  }
}

/** Whether the other end works. A connection may lead to the one broken node of a service: the next request takes another one. */
function isHealthy(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && (outcome.status < 300 || outcome.status === 429);
}

/** The options of undici. Throws a ConfigError that shows no key. */
function connectorOptions({ ca, cert, key, passphrase, ...others }: ConnectOptions): ConnectorOptions {
  // No timeout of its own: the request's timeout closes a connection that cannot be established.
  const options = { ...others, timeout: 0 };
  if (!ca && !cert && !key) return options as ConnectorOptions;
  try {
    // Node ignores an invalid authority.
    for (const authority of [ca ?? []].flat()) new X509Certificate(authority);
    // Once for all connections. The casts are safe: Node takes any bytes, and undici takes `undefined` for absent.
    const secureContext = createSecureContext({ ca, cert, key, passphrase } as SecureContextOptions);
    return { ...options, secureContext } as ConnectorOptions;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = `delivery.connect has a ca, cert, key or passphrase that Node cannot use: ${reason}`;
    throw new ConfigError('delivery.connect', rule);
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: TimeLimits;
  readonly #onEnd: (outcome: Outcome, isComplete: boolean) => void;
  /** Set once there is a connection. Nothing is sent before. */
  #isSent = false;
  #controller: Controller | undefined;
  #answer: Omit<Answer, 'kind' | 'body'> | undefined;
  /** Whether the answer says that it accepts, and that it is HTML. */
  #isPage = false;
  readonly #body: Buffer[] = [];
  #room = MAX_ANSWER_BYTES;
  #isOver = false;

  /** @param onEnd Called once, with whether the whole answer came. */
  constructor({ timeouts, signal }: Limits, onEnd: (outcome: Outcome, isComplete: boolean) => void) {
    this.#onEnd = onEnd;
    this.#limits = new TimeLimits(timeouts, signal, (reason) => this.#end(reason));
    this.#limits.enter('connectMs');
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // A dispatcher may find a connection only after the request was given up.
    if (this.#isOver) this.abort();
    else this.#limits.enter('headersMs');
    this.#isSent = true;
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // After an interim answer, the final one follows.
    if (status < 200) return;
    this.#answer = {
      status,
      retryAfter: headers['retry-after']?.toString(),
      date: headers.date?.toString(),
      location: headers.location?.toString(),
    };
    this.#isPage = status < 300 && /html/i.test(`${headers['content-type']}`);
    this.#limits.enter('bodyMs');
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#body.push(chunk.subarray(0, this.#room));
    this.#room -= chunk.length;
    if (this.#room <= 0) this.#end(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#end(error);
  }

  /** Makes the dispatcher give the request up. */
  abort(): void {
    this.#controller?.abort(new Error('given up'));
  }

  /** Ends the exchange. If a status came, the status counts, with the part of the body that came. */
  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limits.clear();
    const isComplete = cause === undefined;
    this.#onEnd(
      this.#answer === undefined
        ? { kind: 'failed', cause, maybeSent: this.#isSent }
        : { kind: 'answered', ...this.#answer, body: this.#text(isComplete) },
      isComplete,
    );
  }

  #text(isComplete: boolean): string {
    const [first = Buffer.alloc(0)] = this.#body;
    const bytes = this.#body.length > 1 ? Buffer.concat(this.#body) : first;
    const isUnread = bytes.length === 0 ? !isComplete : NO_UTF_8.includes(bytes.toString('hex', 0, 2));
    if (this.#isPage && isUnread) return UNREAD_PAGE;
    // If it breaks off in the middle of a character, the first bytes of that are left out. As a stream, it takes ten times as long.
    return isComplete ? decoder.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
  }
}

/** How gzip begins, and UTF-16 in both orders. */
const NO_UTF_8 = ['1f8b', 'feff', 'fffe'];
/**
 * In place of HTML that cannot be read, so that it is no acceptance: it may be a portal's page. What can be read is judged by what it
 * says: many services call an empty answer HTML.
 */
const UNREAD_PAGE = '<!-- HTML that cannot be read: it is gzipped, in UTF-16, or did not come -->';

const decoder = new TextDecoder();
