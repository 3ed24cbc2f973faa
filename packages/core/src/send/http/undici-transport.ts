import { buildConnector, type Dispatcher } from 'undici';
import { TimeLimits } from './time-limits.ts';
import { MAX_ANSWER_BYTES, type Outcome, type Transport, type TransportRequest } from './transport.ts';
import { UndiciConnection } from './undici-connection.ts';

/**
 * Posts over kept-alive connections with undici, as many as there are requests at the same time. Node's own redirects,
 * retries and decompression stay out of it, and so does undici's pool: it lets a connection rest for a turn of the event
 * loop before it is used again, and does not tell on which one a request is.
 */
export class UndiciTransport implements Transport {
  readonly releasesBody = true;
  // Without a time-out of its own: that of the request closes what does not come about.
  readonly #connector = buildConnector({ timeout: 0 });
  #connections: readonly UndiciConnection[] = [];
  /** Of the last request, which is like the others: where it went, and with which headers. */
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
        // An answer may come before the body is sent: nobody reads that from here on.
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

  /** With what is under way: what is left of an answer is not to be read as that of another request. */
  #giveUp(connection: UndiciConnection): void {
    this.#connections = this.#connections.filter((each) => each !== connection);
    void connection.close();
  }
}

/** One request and its answer, as undici tells of them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: TimeLimits;
  readonly #onEnd: (outcome: Outcome, isComplete: boolean) => void;
  /** Set once there is a connection: nothing was sent before. */
  #isSent = false;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  readonly #body: Buffer[] = [];
  #room = MAX_ANSWER_BYTES;
  #isOver = false;

  /** @param onEnd Called once. Tells whether all of the answer came. */
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
    // More is to come after an interim answer.
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

  /** Whatever ends it, the status is what counts where there is one, with as much of a body as came. */
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

/** Without the first bytes of a character where it breaks off in the middle of one. */
function textOf(chunks: readonly Buffer[], isComplete: boolean): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  // Of a stream it costs ten times as much.
  return isComplete ? decoder.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
}
