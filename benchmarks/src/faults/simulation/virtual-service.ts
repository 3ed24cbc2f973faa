import type { Random } from '../random.ts';
import type { Model } from './model.ts';

/** What the service says of a batch that holds an event it does not like. */
const DISLIKES = [400, 409, 422];

/** The service: it keeps what it takes, and refuses a batch that is too large or holds an event it does not like. */
export class VirtualService {
  readonly #model: Model;

  readonly #dislike: number;
  /** The largest body that it takes, in bytes. */
  mostBytes: number = Number.POSITIVE_INFINITY;

  constructor(model: Model, random: Random) {
    this.#model = model;
    this.#dislike = DISLIKES[random(DISLIKES.length)] ?? 400;
  }

  /** Takes a batch, or says by a status why not. */
  receive(
    body: string,
    client: number | undefined,
  ): { readonly uuids: readonly string[]; readonly refusal?: number } {
    const batch = this.#parse(body);
    const uuids = batch.map(({ uuid }) => uuid);
    const refusal =
      Buffer.byteLength(body) > this.mostBytes
        ? 413
        : uuids.some((uuid) => this.#model.isBad(uuid))
          ? this.#dislike
          : undefined;
    if (refusal === undefined) {
      for (const event of batch) this.#model.arrived(event.uuid, JSON.stringify(event), client);
      return { uuids };
    }
    if (uuids.length === 1) this.#model.refused(uuids);
    return { uuids, refusal };
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
