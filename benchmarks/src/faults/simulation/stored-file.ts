import type { Random } from '../random.ts';
import { Content } from './content.ts';

/** A write; or a truncation, if there are no bytes. */
type Change = { readonly position: number; readonly bytes: Uint8Array | undefined };

interface Unsynced {
  readonly change: Change;
  /** A sync of it failed. A later sync reports success, but a power cut still removes the change. */
  isDoomed: boolean;
}

/** A file on the disk: the content that reads see, and the content that a power cut leaves. */
export class StoredFile {
  readonly kind = 'file';
  #seen = new Content();
  #safe = new Content();
  #unsynced: Unsynced[] = [];
  /** How many names it has. */
  links = 0;

  get size(): number {
    return this.#seen.size;
  }

  get bytes(): Buffer {
    return this.#seen.bytes;
  }

  write(bytes: Uint8Array, position: number): void {
    if (bytes.length > 0) this.#change({ position, bytes: bytes.slice() });
  }

  truncate(size: number): void {
    this.#change({ position: size, bytes: undefined });
  }

  /** Begins a sync of all earlier changes. The result ends it, with success or failure. */
  beginSync(): { succeed(): void; fail(): void } {
    const covered = this.#unsynced.slice();
    return {
      succeed: () => {
        for (const { change, isDoomed } of covered) if (!isDoomed) apply(change, this.#safe);
        const settled = new Set(covered.filter(({ isDoomed }) => !isDoomed));
        this.#unsynced = this.#unsynced.filter((one) => !settled.has(one));
      },
      fail: () => {
        for (const one of covered) one.isDoomed = true;
      },
    };
  }

  /** By chance, each unsynced change has reached the disk completely, in part, with damage, or not at all. */
  cutPower(random: Random): void {
    for (const { change, isDoomed } of this.#unsynced) {
      const left = isDoomed ? undefined : remains(change, random);
      if (left !== undefined) apply(left, this.#safe);
    }
    this.#unsynced = [];
    this.#seen = new Content();
    this.#seen.write(this.#safe.bytes, 0);
  }

  #change(change: Change): void {
    apply(change, this.#seen);
    this.#unsynced.push({ change, isDoomed: false });
  }
}

function apply({ position, bytes }: Change, content: Content): void {
  if (bytes === undefined) content.truncate(position);
  else content.write(bytes, position);
}

function remains(change: Change, random: Random): Change | undefined {
  const { position, bytes } = change;
  const chance = random(16);
  if (chance < 8) return change;
  if (chance < 12 || bytes === undefined) return undefined;
  if (chance < 14) return { position, bytes: bytes.subarray(0, random(bytes.length)) };
  const other = bytes.slice();
  const at = random(other.length);
  if (chance === 14) other.fill(0, at);
  else other[at] = (other[at] ?? 0) ^ (1 << random(8));
  return { position, bytes: other };
}
