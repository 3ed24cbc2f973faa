import { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';

const MAX_HEADER_BYTES = 16 * 1024;

/** A connection to an origin, for one request after the other. It comes about with the first, and again where it was closed. */
export class UndiciConnection {
  readonly origin: string;
  isFree = true;
  readonly #client: Client;
  /** Also one that has not come about yet: the client forgets that when it is closed. */
  #socket: Socket | undefined;

  constructor(origin: string, connector: buildConnector.connector) {
    this.origin = origin;
    this.#client = new Client(origin, {
      ...{ pipelining: 1, maxHeaderSize: MAX_HEADER_BYTES },
      // Off: they count by the half second, and begin anew with each interim answer and each byte of a body.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      connect: (options, callback) => {
        const socket: unknown = connector(options, callback);
        if (socket instanceof Socket) this.#socket = socket;
      },
    });
  }

  /** Whether a part of what was dispatched is not given to the system yet. */
  get isWriting(): boolean {
    return this.#socket !== undefined && this.#socket.writableLength > 0;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** At once, whatever is under way. */
  async close(): Promise<void> {
    const closed = this.#client.destroy();
    this.#socket?.destroy();
    await closed;
  }
}
