import { Agent, request as httpRequest } from 'node:http';

/** Sends requests over a few connections that stay open, so that thousands of requests take only seconds. */
export class KeptConnections implements Disposable {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  /** An answer that takes longer than `timeoutMs` is an error. */
  constructor(connections: number, timeoutMs: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#timeoutMs = timeoutMs;
  }

  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: this.#agent, timeout: this.#timeoutMs };
      const request = httpRequest(url, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
        response.on('error', reject);
      });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)));
      request.on('error', reject);
      request.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
