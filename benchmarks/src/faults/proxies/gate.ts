import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What happens to the bytes that a client sends to the service:
 * - `open`: they arrive, and the answer comes back.
 * - `closed`: nobody listens.
 * - `cut`: the connection is reset at the first byte.
 * - `hung`: they are read, but not forwarded.
 * - `deaf`: they arrive, but the answer does not come back.
 * - `unanswered`: they arrive, and the connection is reset in place of the answer.
 */
export type GateState = 'open' | 'closed' | 'cut' | 'hung' | 'deaf' | 'unanswered';

/** Forwards bytes between clients and a service, and can make a working service appear to fail. */
export class Gate implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: GateState = 'open';
  #port = 0;
  /** New connections go there. */
  servicePort: number;

  private constructor(servicePort: number) {
    this.servicePort = servicePort;
    this.#server = createServer((socket) => this.#forward(socket, this.servicePort));
  }

  static async start(servicePort: number): Promise<Gate> {
    const gate = new Gate(servicePort);
    await gate.#listen();
    return gate;
  }

  get port(): number {
    return this.#port;
  }

  async become(state: GateState): Promise<void> {
    const was = this.#state;
    this.#state = state;
    if (state === 'closed' && was !== 'closed') await this.#close();
    if (state !== 'closed' && was === 'closed') await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.become('closed');
  }

  async #listen(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #forward(socket: Socket, servicePort: number): void {
    const service = connect(servicePort, '127.0.0.1');
    this.#hear(socket, (chunk) => {
      if (this.#state === 'cut') socket.resetAndDestroy();
      else if (this.#state !== 'hung') service.write(chunk);
    });
    this.#hear(service, (chunk) => {
      if (this.#state === 'unanswered') socket.resetAndDestroy();
      else if (this.#state !== 'deaf') socket.write(chunk);
    });
    socket.on('close', () => service.end());
    service.on('close', () => {
      if (this.#state !== 'deaf') socket.end();
    });
  }

  #hear(socket: Socket, hear: (chunk: Buffer) => void): void {
    this.#sockets.add(socket);
    socket.on('data', hear);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
