import { Pool } from 'undici';

/** Pages of one site, as its relay sees them: connections that stay open. */
export class Pages implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections, pipelining: 1 });
    this.#path = pathname;
    this.#headers = { 'content-type': 'application/json', origin };
  }

  async ticket(): Promise<string> {
    const { body } = await this.#post('{}');
    const { ticket } = JSON.parse(body);
    return ticket;
  }

  /** Resolves to whether all events were taken. Rejects if there was no answer. */
  async send(body: string): Promise<boolean> {
    const { status, body: answer } = await this.#post(body);
    return status === 202 && answer.endsWith('"refused":[]}');
  }

  /** Sends all bodies, so many at a time. Throws if one is not taken. */
  async sendAll(bodies: readonly string[], atOnce: number): Promise<void> {
    const left = bodies.values();
    const sendRest = async () => {
      for (const body of left) if (!(await this.send(body))) throw new Error('the relay refused a request');
    };
    await Promise.all(Array.from({ length: atOnce }, sendRest));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy();
  }

  async #post(text: string): Promise<{ readonly status: number; readonly body: string }> {
    const { statusCode, body } = await this.#pool.request({
      ...{ method: 'POST', path: this.#path, headers: this.#headers, body: text },
    });
    return { status: statusCode, body: await body.text() };
  }
}

/** A request of a page. */
export function bodyOf(ticket: string, events: readonly string[], parcel?: string): string {
  const named = parcel === undefined ? '' : `,"parcel":"${parcel}"`;
  return `{"batch":[${events.join(',')}],"ticket":"${ticket}"${named}}`;
}
