import type { Random } from '../random.ts';
import type { Model } from './model.ts';

/** Possible answers to a batch with a bad event. */
const DISLIKES = [400, 409, 422];

/** The service. It records accepted events, and refuses a batch that is too large or has a bad event. */
export class VirtualService {
  readonly #model: Model;

  readonly #dislike: number;
  /** The largest body that it accepts, in bytes. */
  mostBytes: number = Number.POSITIVE_INFINITY;

  constructor(model: Model, random: Random) {
    this.#model = model;
    this.#dislike = DISLIKES[random(DISLIKES.length)] ?? 400;
  }

  /** Takes a batch, or returns the status with which it refuses the batch. */
  receive(
    body: string,
    client: number | undefined,
  ): { readonly uuids: readonly string[]; readonly refusal?: number } {
    const batch = this.read(body);
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

  /** The events of a body. What is not JSON is a problem, and has none. */
  read(body: string): readonly { readonly uuid: string }[] {
    try {
      return JSON.parse(body).batch;
    } catch {
      this.#model.problem(`arrived and is not JSON: ${body}`);
      return [];
    }
  }
}
