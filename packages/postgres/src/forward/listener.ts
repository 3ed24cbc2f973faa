import { type Clock, inTime, type Timer } from '@sluice/protocol/toolbox';
import pg from 'pg';

interface ListenerOptions {
  /** How to connect, and for how long to try. */
  readonly connection: pg.ClientConfig;
  readonly channel: string;
  readonly clock: Clock;
  /** Something may be new. */
  readonly onCall: () => void;
}

/** How soon it connects again, in milliseconds. Meanwhile the forwarder looks by itself. */
const AGAIN_MS = 5_000;
/** How long to wait for the end of a connection, in milliseconds. Nobody answers on one that a firewall has forgotten. */
const END_MS = 500;

/** Waits for the calls of publishers, on a connection of its own. */
export class Listener {
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStopped) return;
    const { channel, connection, onCall } = this.#options;
    const client = new pg.Client({ ...connection, keepAlive: true });
    this.#client = client;
    client.on('notification', onCall);
    client.on('error', () => this.#again(client));
    client.on('end', () => this.#again(client));
    client
      .connect()
      .then(() => client.query(`listen "${channel}"`))
      .then(
        () => {
          // Node may end. `pg` has the method, and its types do not.
          Reflect.get(client, 'unref')?.call(client);
          // What came before was not heard.
          onCall();
        },
        () => this.#again(client),
      );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const client = this.#client;
    if (!client) return;
    await inTime(this.#options.clock, client.end(), END_MS, () => new Error('no end')).catch(() => {
      // Otherwise its socket keeps the process alive. `pg` has it, and its types do not.
      Reflect.get(client, 'connection')?.stream.destroy();
    });
  }

  #again(client: pg.Client): void {
    if (client !== this.#client || this.#isStopped) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#timer = this.#options.clock.setTimeout(() => this.start(), AGAIN_MS);
  }
}
