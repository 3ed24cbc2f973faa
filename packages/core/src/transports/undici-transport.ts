import { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { MAX_ANSWER_BYTES, type Outcome, type Transport, type TransportRequest } from '../transport.ts';
import { TimeLimits } from './time-limits.ts';

const MAX_HEADER_BYTES = 16 * 1024;

/** Posts over kept-alive connections with undici. Node's own redirects, retries and decompression stay out of it. */
export class UndiciTransport implements Transport {
  readonly #agent: Agent;
  /** All of them, also those that have not come about yet: the agent forgets these when it is closed. */
  readonly #sockets = new Set<Socket>();

  /**
   * @param connections How many connections to hold to the service at the most.
   * @param connectMs After how long a connection is given up that does not come about. A request waits for it as long
   *   as its own `connectMs`.
   */
  constructor(connections: number, connectMs: number) {
    const connect = buildConnector({ timeout: connectMs });
    this.#agent = new Agent({
      ...{ connections, pipelining: 1, maxHeaderSize: MAX_HEADER_BYTES },
      // Off: they count by the half second, and begin anew with each interim answer and each byte of a body.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      connect: (options, callback) => {
        const socket: unknown = connect(options, callback);
        if (!(socket instanceof Socket)) return;
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
    });
  }

  post(request: TransportRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      const exchange = new Exchange(request, resolve);
      if (request.signal.aborted) return;
      try {
        const { origin, pathname, search } = new URL(request.url);
        const { headers, body } = request;
        this.#agent.dispatch(
          {
            ...{ origin, path: pathname + search, method: 'POST', body },
            headers: { ...headers, 'accept-encoding': 'identity' },
          },
          exchange,
        );
      } catch (error) {
        exchange.end(error);
      }
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** One request and its answer, as undici tells of them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: TimeLimits;
  readonly #resolve: (outcome: Outcome) => void;
  /** Set once there is a connection: nothing was sent before. */
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  readonly #decoder = new TextDecoder();
  #body = '';
  #room = MAX_ANSWER_BYTES;
  #isOver = false;

  constructor({ timeouts, signal }: TransportRequest, resolve: (outcome: Outcome) => void) {
    this.#resolve = resolve;
    this.#limits = new TimeLimits(timeouts, signal, (reason) => this.end(reason));
    this.#limits.enter('connectMs');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A connection came about for a request that waits no longer.
    if (this.#isOver) controller.abort(new Error('given up'));
    else this.#limits.enter('headersMs');
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
    this.#body += this.#decoder.decode(chunk.subarray(0, this.#room), { stream: true });
    this.#room -= chunk.length;
    if (this.#room <= 0) this.end(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
  }

  onResponseEnd(): void {
    this.end(undefined);
  }

  onResponseError(_: unknown, error: Error): void {
    this.end(error);
  }

  /** Whatever ends it, the status is what counts where there is one, with as much of a body as came. */
  end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limits.clear();
    this.#resolve(
      this.#answer === undefined
        ? { kind: 'failed', cause, maybeSent: this.#controller !== undefined }
        : { kind: 'answered', ...this.#answer, body: this.#body },
    );
    // With the connection: what is left of the answer is not to be read as that of another request.
    if (cause !== undefined) this.#controller?.abort(new Error('given up', { cause }));
  }
}
