import type { Random } from '../random.ts';
import type { StoredFile } from './stored-file.ts';

export type StoredNode = StoredFile | StoredDirectory;

/** Whether a change of a name survives a power cut. The two halves of a rename share one fate. */
export interface Fate {
  survives: boolean | undefined;
}

interface Unsynced {
  readonly name: string;
  /** Undefined: the name was removed. */
  readonly node: StoredNode | undefined;
  readonly fate: Fate;
}

/** A directory on the disk: the names that are visible, and those that a power cut leaves. */
export class StoredDirectory {
  readonly kind = 'directory';
  readonly #seen = new Map<string, StoredNode>();
  readonly #safe = new Map<string, StoredNode>();
  #unsynced: Unsynced[] = [];

  /** In the order in which the names were made: sorted by name, the order would be random. */
  get entries(): ReadonlyMap<string, StoredNode> {
    return this.#seen;
  }

  get(name: string): StoredNode | undefined {
    return this.#seen.get(name);
  }

  put(name: string, node: StoredNode, fate: Fate = { survives: undefined }): void {
    this.remove(name, fate);
    if (node.kind === 'file') node.links += 1;
    this.#change({ name, node, fate });
  }

  remove(name: string, fate: Fate = { survives: undefined }): void {
    const node = this.#seen.get(name);
    if (node === undefined) return;
    if (node.kind === 'file') node.links -= 1;
    this.#change({ name, node: undefined, fate });
  }

  /** Begins a sync of all earlier changes. The returned function ends it. */
  beginSync(): () => void {
    const covered = new Set(this.#unsynced);
    return () => {
      for (const one of covered) {
        one.fate.survives = true;
        apply(one, this.#safe);
      }
      this.#unsynced = this.#unsynced.filter((one) => !covered.has(one));
    };
  }

  /** Syncs the names in this directory and in all below it. */
  syncAll(): void {
    this.beginSync()();
    for (const node of this.#seen.values()) if (node.kind === 'directory') node.syncAll();
  }

  /** By chance, each unsynced change has reached the disk or not. The same happens in everything below. */
  cutPower(random: Random): void {
    for (const change of this.#unsynced) {
      change.fate.survives ??= random(2) === 0;
      if (change.fate.survives) apply(change, this.#safe);
    }
    this.#unsynced = [];
    this.#seen.clear();
    for (const [name, node] of this.#safe) {
      this.#seen.set(name, node);
      node.cutPower(random);
    }
  }

  #change(change: Unsynced): void {
    apply(change, this.#seen);
    this.#unsynced.push(change);
  }
}

function apply({ name, node }: Unsynced, names: Map<string, StoredNode>): void {
  names.delete(name);
  if (node !== undefined) names.set(name, node);
}
