import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * - `open`: passes all on.
 * - `cut`: takes no connection.
 * - `ignore`: takes connections, and never passes anything of them on.
 * - `swallow`: passes requests on, and cuts the connection in place of the next answer.
 */
type Mode = 'open' | 'cut' | 'ignore' | 'swallow';

/** A network between one journal and PostgreSQL. */
export class Network {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'open';
  #isPaused = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<Network> {
    const server = createServer();
    const network = new Network(server);
    server.on('connection', (client) => network.#join(client, connect(port, '127.0.0.1')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return network;
  }

  get connectionString(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  get connections(): number {
    return this.#sockets.size / 2;
  }

  open(): void {
    this.#mode = 'open';
  }

  /** The network is gone. */
  cut(): void {
    this.#mode = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  /** New connections get no answer, ever. */
  ignore(): void {
    this.#mode = 'ignore';
  }

  /** The next answer is lost, with its connection. */
  loseAnswer(): void {
    this.#mode = 'swallow';
  }

  /** Nothing passes until `resume()`. */
  pause(): void {
    this.#isPaused = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const end = () => {
      for (const socket of [client, server]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    if (this.#mode === 'cut') end();
    if (this.#mode === 'ignore') return void client.resume();
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => {
      if (this.#mode === 'open') client.write(bytes);
      else end();
      if (this.#mode === 'swallow') this.#mode = 'open';
    });
    if (this.#isPaused) this.pause();
  }
}
