import { buildConnector, type Dispatcher } from 'undici';
import { TimeLimits } from './time-limits.ts';
import { MAX_ANSWER_BYTES, type Outcome, type Transport, type TransportRequest } from './transport.ts';
import { UndiciConnection } from './undici-connection.ts';

/**
 * Posts with undici over kept-alive connections, one for each request at the same time. Node's own redirects, retries and
 * decompression are not used. Neither is undici's pool: it keeps a connection idle for one turn of the event loop before it
 * uses it again, and does not tell which connection a request uses.
 */
export class UndiciTransport implements Transport {
  readonly releasesBody = true;
  // No timeout of its own: the request's timeout closes a connection that cannot be established.
  readonly #connector = buildConnector({ timeout: 0 });
  #connections: readonly UndiciConnection[] = [];
  /** Address and headers of the last request. The next request usually has the same. */
  #url = '';
  #origin = '';
  #path = '';
  #given: TransportRequest['headers'] | undefined;
  #headers: TransportRequest['headers'] = {};

  post({ url, headers, body, timeouts, signal }: TransportRequest): Promise<Outcome> {
    if (signal.aborted) return Promise.resolve({ kind: 'failed', cause: signal.reason, maybeSent: false });
    if (url !== this.#url) this.#aim(url);
    if (headers !== this.#given) {
      this.#given = headers;
      this.#headers = { ...headers, 'accept-encoding': 'identity' };
    }
    const connection = this.#connectionTo(this.#origin);
    connection.isFree = false;
    return new Promise((resolve) => {
      const exchange = new Exchange({ timeouts, signal }, (outcome, isComplete) => {
        // If the answer comes before the whole body is sent, close the connection, so that nothing reads the body any more.
        if (isComplete && !connection.isWriting) connection.isFree = true;
        else this.#giveUp(connection);
        resolve(outcome);
      });
      connection.dispatch({ path: this.#path, method: 'POST', headers: this.#headers, body }, exchange);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #aim(url: string): void {
    const { origin, pathname, search } = new URL(url);
    this.#url = url;
    this.#origin = origin;
    this.#path = pathname + search;
  }

  #connectionTo(origin: string): UndiciConnection {
    const free = this.#connections.find((each) => each.isFree && each.origin === origin);
    if (free !== undefined) return free;
    const connection = new UndiciConnection(origin, this.#connector);
    this.#connections = [...this.#connections, connection];
    return connection;
  }

  /** Closes a connection, even in the middle of an answer: the rest must not be read as the answer to another request. */
  #giveUp(connection: UndiciConnection): void {
    this.#connections = this.#connections.filter((each) => each !== connection);
    void connection.close();
  }
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: TimeLimits;
  readonly #onEnd: (outcome: Outcome, isComplete: boolean) => void;
  /** Set once there is a connection. Nothing is sent before. */
  #isSent = false;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  readonly #body: Buffer[] = [];
  #room = MAX_ANSWER_BYTES;
  #isOver = false;

  /** @param onEnd Called once, with whether the whole answer came. */
  constructor(
    { timeouts, signal }: Pick<TransportRequest, 'timeouts' | 'signal'>,
    onEnd: (outcome: Outcome, isComplete: boolean) => void,
  ) {
    this.#onEnd = onEnd;
    this.#limits = new TimeLimits(timeouts, signal, (reason) => this.#end(reason));
    this.#limits.enter('connectMs');
  }

  onRequestStart(): void {
    this.#isSent = true;
    this.#limits.enter('headersMs');
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // After an interim answer, the final one follows.
    if (status < 200) return;
    this.#answer = { status, retryAfter: headers['retry-after']?.toString() };
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

  onResponseError(_: unknown, error: Error): void {
    this.#end(error);
  }

  /** Ends the exchange. If a status came, the status counts, with the part of the body that came. */
  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limits.clear();
    const isComplete = cause === undefined;
    const outcome: Outcome =
      this.#answer === undefined
        ? { kind: 'failed', cause, maybeSent: this.#isSent }
        : { kind: 'answered', ...this.#answer, body: textOf(this.#body, isComplete) };
    this.#onEnd(outcome, isComplete);
  }
}

const decoder = new TextDecoder();

/** If the body breaks off in the middle of a character, the first bytes of that character are left out. */
function textOf(chunks: readonly Buffer[], isComplete: boolean): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  // Decoding it as a stream takes ten times as long.
  return isComplete ? decoder.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
}
