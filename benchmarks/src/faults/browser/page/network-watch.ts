import { LIFE_PARAMETER } from './page-settings.ts';

/** Wraps `fetch`: counts requests, and adds the number of the page to the address of each. Changes nothing else in them. */
export class NetworkWatch {
  /** Requests made so far. */
  made = 0;
  /** Requests that have no answer yet. */
  underWay = 0;

  constructor(life: number) {
    const mark = (input: RequestInfo | URL) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      url.searchParams.set(LIFE_PARAMETER, String(life));
      return input instanceof Request ? new Request(url, input) : url;
    };
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) => this.#count(fetch(mark(input), init));
  }

  async #count(answer: Promise<Response>): Promise<Response> {
    this.made += 1;
    this.underWay += 1;
    try {
      return await answer;
    } finally {
      this.underWay -= 1;
    }
  }
}
