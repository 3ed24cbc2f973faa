import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorCustomer } from './operators.ts';
import { DemoProcess } from './processes/demo-process.ts';
import type { ServiceMessage } from './processes/messages.ts';
import type { StoreAddress } from './service-store.ts';

const TRIES = 30;
const WAIT_MS = 100;

type Address = StoreAddress & { readonly baseUrl: string };

/** The service, which the demo can kill and start again. Its data is in the directory `data` and outlives its process. */
export class Service implements AsyncDisposable {
  readonly #data: string;
  readonly #signal: AbortSignal;
  #process: DemoProcess<ServiceMessage> | undefined;
  #address: Address = { baseUrl: '', apiUrl: '', apiKey: '' };

  constructor(data: string, signal: AbortSignal) {
    this.#data = data;
    this.#signal = signal;
  }

  /** Starts the service for the first time, with these customers. */
  async start(customers: readonly OperatorCustomer[]): Promise<void> {
    const failure = await this.#start(customers);
    if (failure !== undefined) throw new Error(`The service cannot start: ${failure}`);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get address(): Address {
    return this.#address;
  }

  /** Kills the process of the service. */
  async takeAway(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  /** Starts the service again, on the same ports and with its stored data. */
  async bringBack(): Promise<void> {
    let failure: string | undefined;
    // Another program may have taken one of the ports while they were free, often only for a moment. So try again.
    for (let tries = 0; tries < TRIES; tries += 1) {
      failure = await this.#start([]);
      if (failure === undefined) return;
      await pause(WAIT_MS, undefined, { signal: this.#signal });
    }
    throw new Error(`The service cannot start again: ${failure}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.takeAway();
  }

  async #start(customers: readonly OperatorCustomer[]): Promise<string | undefined> {
    const { baseUrl, apiUrl } = this.#address;
    const settings = { port: portOf(baseUrl), apiPort: portOf(apiUrl), data: this.#data, customers };
    this.#process = new DemoProcess('service', settings, this.#signal);
    const message = await this.#process.next();
    if (message.type === 'ready') {
      this.#address = message;
      return undefined;
    }
    await this.takeAway();
    return message.reason;
  }
}

/** The port of a URL. For an empty URL: 0, which means any free port. */
function portOf(url: string): number {
  return url === '' ? 0 : Number(new URL(url).port);
}
