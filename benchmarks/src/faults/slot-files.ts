import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Expectation } from '../processes/audit.ts';
import { lifeOf } from '../processes/numbered-uuid.ts';
import { isIntact, readFrames, readReleased } from './segment-layout.ts';

export const SEGMENT = '.segment';
export const ACKNOWLEDGEMENTS = '.acks';
const NOTHING = Buffer.alloc(0);

/** The events of a damaged journal that must arrive, and those that may. */
export interface SlotExpectations {
  readonly must: Expectation;
  /** Released events. If the acknowledgements were damaged, these may arrive again. */
  readonly may: Expectation;
}

/** The files of a slot without an owner: the original ones, and the damaged ones. */
export class SlotFiles {
  readonly path: string;
  /** The life whose events they contain. */
  readonly life: number;
  readonly #original: ReadonlyMap<string, Buffer>;
  /** By name. `write()` stores the changes. */
  readonly files: Map<string, Buffer>;

  constructor(path: string) {
    this.path = path;
    const names = readdirSync(path).sort();
    this.#original = new Map(names.map((name) => [name, readFileSync(join(path, name))]));
    this.files = new Map(this.#original);
    const [segment = NOTHING] = this.named(SEGMENT).map((name) => this.#original.get(name));
    this.life = lifeOf(uuidOf(readFrames(segment)[0]?.text ?? '{"uuid":""}'));
  }

  /** The names with this suffix, in order. */
  named(suffix: string): string[] {
    return [...this.files.keys()].filter((name) => name.endsWith(suffix));
  }

  /** Makes the directory contain the same as `files`. */
  write(): void {
    for (const [name, bytes] of this.files) {
      if (bytes !== this.#original.get(name)) writeFileSync(join(this.path, name), bytes);
    }
    for (const name of this.#original.keys()) {
      if (!this.files.has(name)) rmSync(join(this.path, name));
    }
  }

  /** @param events How many events the life tracked. */
  expectations(events: number): SlotExpectations {
    const { life } = this;
    const must = new Set<number>();
    const may = new Set<number>();
    for (const [name, original] of this.#original) {
      if (!name.endsWith(SEGMENT)) continue;
      const acknowledgements = basename(name, SEGMENT) + ACKNOWLEDGEMENTS;
      const released = readReleased(this.#original.get(acknowledgements) ?? NOTHING);
      const isForgotten = this.files.get(acknowledgements) !== this.#original.get(acknowledgements);
      const damaged = this.files.get(name) ?? NOTHING;
      for (const frame of readFrames(original)) {
        if (!isIntact(frame, original, damaged)) continue;
        const number = Number.parseInt(uuidOf(frame.text).slice(-12), 16);
        if (!released.has(frame.index)) must.add(number);
        else if (isForgotten) may.add(number);
      }
    }
    const numbers = Array.from({ length: events }, (_, number) => number);
    const only = (some: ReadonlySet<number>) => ({
      ...{ life, count: events, except: numbers.filter((number) => !some.has(number)) },
    });
    return { must: only(must), may: only(may) };
  }
}

function uuidOf(text: string): string {
  const { uuid }: { uuid: string } = JSON.parse(text);
  return uuid;
}
