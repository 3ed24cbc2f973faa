import { LIFE_PARAMETER } from './page-settings.ts';

/** Stands before `fetch`: counts requests, and has each say which page made it. Nothing else about them changes. */
export class NetworkWatch {
  /** Requests ever made. */
  made = 0;
  /** Requests without an answer yet. */
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
