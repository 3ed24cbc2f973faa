import { sha256 } from '../../base/sha256.ts';
import { uuid } from '../../base/uuid.ts';
import type { Note } from '../../keep/note.ts';

/**
 * A session is what happens on one device, in all its tabs, until somebody signs out, or somebody else signs in. It has one
 * customer at the most, and what is held in it goes to that one or to nobody. A note says which session is under way: its id,
 * and once it has a customer, a random salt and a hash of both. A blank stands between two of these.
 */
export class Sessions {
  readonly #note: Note;

  constructor(note: Note) {
    this.#note = note;
  }

  /** The id of the session that is under way. */
  async current(): Promise<string> {
    return idOf(await this.#note.read());
  }

  /**
   * A customer is there. Where the session that is under way has another one, it ends. Returns the id of the one whose events
   * are this customer's; undefined where there is none.
   */
  async claim(customer: string): Promise<string | undefined> {
    let theirs: string | undefined;
    let changed = '';
    await this.#note.change((text) => {
      // Asked again, though it was done.
      if (text === changed) return changed;
      const [, salt = uuid(), owner] = text?.split(' ') ?? [];
      const claimant = sha256(salt + customer);
      theirs = (owner ?? claimant) === claimant ? idOf(text) : undefined;
      changed = `${theirs ?? uuid()} ${salt} ${claimant}`;
      return changed;
    });
    return theirs;
  }

  /** Ends the session that is under way. Returns the id of the next one. */
  async end(): Promise<string> {
    const next = uuid();
    await this.#note.change(() => next);
    return next;
  }

  close(): void {
    this.#note.close?.();
  }
}

/** Empty for the first one of a device. */
function idOf(note = ''): string {
  return note.split(' ', 1)[0] ?? '';
}
