import type { Readable, Writable } from 'node:stream';

/** A message that the browser sends without a request. */
export interface DevToolsEvent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The tab that sent it. Undefined for the browser itself. */
  readonly sessionId?: string;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A client of Chromium's DevTools protocol, over the pipes that Chromium was started with. It uses no library, because libraries
 * change the behaviour under test: they focus every page, keep pages out of the back/forward cache, and end with the browser.
 */
export class DevTools {
  readonly #toBrowser: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onEvent: (event: DevToolsEvent) => void;
  #asked = 0;
  #isEnded = false;
  #rest = '';

  constructor(toBrowser: Writable, fromBrowser: Readable, onEvent: (event: DevToolsEvent) => void) {
    this.#toBrowser = toBrowser;
    this.#onEvent = onEvent;
    // Writing to a killed browser fails.
    toBrowser.on('error', () => undefined);
    fromBrowser.on('error', () => undefined);
    fromBrowser.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    fromBrowser.on('close', () => this.#end());
  }

  /** Sends a command to the browser, or to the tab of a session. Rejects if the browser refuses, or ends before it answers. */
  send<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    if (this.#isEnded) return Promise.reject(new Error(`${method}: the browser has ended`));
    this.#asked += 1;
    const id = this.#asked;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject: ({ message }) => reject(new Error(`${method}: ${message}`)) });
      this.#toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #hear(text: string): void {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message));
  }

  #take(message: Answer | DevToolsEvent): void {
    if (!('id' in message)) {
      this.#onEvent(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result as never);
  }

  #end(): void {
    this.#isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'));
    this.#waiting.clear();
  }
}
