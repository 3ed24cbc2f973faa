import type { Clock } from '@sluice/protocol/toolbox';
import type { Settings } from '../../options/settings.ts';
import { writeLetter } from '../../parts/dead-letters/dead-letter.ts';
import type { Refusal } from '../../send/parcel-trial.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { TrackerStats } from '../../tell/stats.ts';
import type { Keeper } from './keeper.ts';
import { encoder, LETTER, type LetterKey } from './parcel.ts';

/** Dead letters, within limits: the oldest are dropped first. To read them, a page needs the part `deadLetters`. */
export interface Letters {
  readonly stats: TrackerStats['deadLetters'];
  /** The oldest first. */
  readonly keys: readonly LetterKey[];
  /** Stores an event as a letter, with the next transaction. */
  keep(event: string, id: string, refusal: Refusal): void;
  /** These are all that are stored. */
  found(keys: readonly LetterKey[]): void;
  /** They are deleted with the next transaction. */
  drop(gone: readonly LetterKey[], reason?: 'full' | 'expired' | 'denied'): void;
}

export function createLetters(
  limits: Settings['deadLetters'],
  clock: Clock,
  keeper: Keeper,
  reporter: Reporter,
): Letters {
  let keys: readonly LetterKey[] = [];

  function drop(gone: readonly LetterKey[], reason?: 'full' | 'expired' | 'denied'): void {
    if (gone.length === 0) return;
    const names = new Set(gone.map(String));
    keys = keys.filter((key) => !names.has(String(key)));
    for (const key of gone) keeper.put(key);
    if (reason) reporter.emit('deadLettersDropped', { reason, count: gone.length });
  }

  function found(all: readonly LetterKey[]): void {
    keys = all;
    const before = clock.now() - limits.maxAgeMs;
    drop(
      all.filter(([, at]) => at < before),
      'expired',
    );
    let bytes = bytesOf(keys);
    const first = keys.findIndex((key) => {
      const isOver = bytes > limits.maxBytes;
      bytes -= key[3];
      return !isOver;
    });
    drop(keys.slice(0, first), 'full');
  }

  return {
    get stats() {
      return { kept: keys.length, bytes: bytesOf(keys) };
    },
    get keys() {
      return keys;
    },
    keep(event, id, refusal) {
      const now = clock.now();
      const text = writeLetter(encoder.encode(event), refusal, now);
      const key: LetterKey = [LETTER, now, id, text.length];
      // One that can never fit must not push out all others.
      if (text.length > limits.maxBytes)
        return reporter.emit('deadLettersDropped', { reason: 'full', count: 1 });
      keeper.put(key, text);
      found([...keys, key]);
    },
    found,
    drop,
  };
}

function bytesOf(keys: readonly LetterKey[]): number {
  return keys.reduce((total, [, , , bytes]) => total + bytes, 0);
}
