import type { Model } from './model.ts';

/** The service: it keeps what it takes, and refuses a batch that holds an event it does not like. */
export class VirtualService {
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Takes a batch, unless it refuses it. Returns the uuids taken, or undefined. */
  receive(body: string): readonly string[] | undefined {
    const batch = this.#parse(body);
    if (batch.some(({ uuid }) => this.#model.isBad(uuid))) {
      const [first] = batch;
      if (batch.length === 1 && first !== undefined) this.#model.refusedAlone(first.uuid);
      return undefined;
    }
    for (const event of batch) this.#model.arrived(event.uuid, JSON.stringify(event));
    return batch.map(({ uuid }) => uuid);
  }

  #parse(body: string): readonly { readonly uuid: string }[] {
    try {
      return JSON.parse(body).batch;
    } catch {
      this.#model.problem(`arrived and is not JSON: ${body}`);
      return [];
    }
  }
}
