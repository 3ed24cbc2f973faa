import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { monotonicMs } from '../monotonic-clock.ts';
import type { Answer } from './answer.ts';
import { UuidSet } from './uuid-set.ts';
import { fromBase64Form, type WireFormat } from './wire-format.ts';

const SENDER = /^\/sender-(\w+)\//;

/** The service as a very light HTTP server. It counts events by uuid, and answers 200, or as `answers` says. */
export class Receiver {
  readonly events: UuidSet;
  readonly #answers: readonly Answer[];
  readonly #server: Server;
  readonly #isBase64Form: boolean;
  readonly #reply: Buffer;
  #requests = 0;
  /** Events of requests that it took, but whose answer the client did not see. These are allowed to arrive again. */
  ambiguous = 0;
  /** When the first request came, on the clock that all processes of a machine share, in milliseconds. */
  firstRequestAt: number | undefined;

  /**
   * @param answers How it treats the first requests, in the order in which their bodies arrive.
   * @param format The wire format of the senders.
   */
  constructor(answers: readonly Answer[], { mark, isBase64Form = false, reply = '{}' }: WireFormat = {}) {
    this.#isBase64Form = isBase64Form;
    this.#reply = Buffer.from(reply);
    this.events = new UuidSet(mark);
    this.#answers = answers;
    this.#server = createServer((request, response) => this.#receive(request, response));
  }

  /** How many of the given answers it has used. */
  get answersGiven(): number {
    return Math.min(this.#requests, this.#answers.length);
  }

  /** Resolves to its base address. */
  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        const port = typeof address === 'object' ? address?.port : undefined;
        resolve(`http://127.0.0.1:${port}`);
      });
    });
  }

  clear(): void {
    this.events.clear();
    this.ambiguous = 0;
    this.firstRequestAt = undefined;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.firstRequestAt ??= monotonicMs();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#answer(Buffer.concat(chunks), senderOf(request), response));
  }

  #answer(body: Buffer, sender: string | undefined, response: ServerResponse): void {
    const answer = this.#answers[this.#requests];
    this.#requests += 1;
    if (answer?.kind === 'status') {
      const retryAfter = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
      response.writeHead(answer.status, retryAfter).end();
      return;
    }
    if (answer === undefined || answer.takes) {
      const count = this.events.add(this.#isBase64Form ? fromBase64Form(body) : body, sender);
      response.once('close', () => {
        if (!response.writableFinished) this.ambiguous += count;
      });
    }
    if (answer === undefined) {
      const reply = this.#reply;
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length })
        .end(reply);
    } else if (answer.kind === 'reset') {
      response.socket?.resetAndDestroy();
    }
  }
}

/** The name of a sender, if its base address ends in `/sender-` and that name. */
function senderOf({ url = '' }: IncomingMessage): string | undefined {
  return SENDER.exec(url)?.[1];
}
