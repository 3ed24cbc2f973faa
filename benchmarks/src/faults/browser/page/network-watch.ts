import { LIFE_PARAMETER } from './page-settings.ts';

/** Wraps `fetch`: counts requests, and adds the number of the page to the address of each. Changes nothing else in them. */
export class NetworkWatch {
  /** Requests made so far. */
  made = 0;
  /** Requests whose answer has not arrived completely. */
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

  /** A request is pending until its body has arrived. */
  async #count(answer: Promise<Response>): Promise<Response> {
    const end = () => {
      this.underWay -= 1;
    };
    this.made += 1;
    this.underWay += 1;
    try {
      const got = await answer;
      got.clone().arrayBuffer().then(end, end);
      return got;
    } catch (error) {
      end();
      throw error;
    }
  }
}
