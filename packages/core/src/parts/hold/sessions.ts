import { hashOf } from '../../base/hash.ts';
import { uuid } from '../../base/uuid.ts';
import type { Note } from '../../keep/note.ts';

/**
 * A session is what happens on one device, in all its tabs, until somebody signs out or somebody else signs in. It has at most
 * one customer, and its held events belong to that customer or to nobody. A note names the current session: its id and, once it
 * has a customer, a random salt and a hash of salt and customer, separated by spaces.
 */
export class Sessions {
  readonly #note: Note;

  constructor(note: Note) {
    this.#note = note;
  }

  /** The id of the current session. */
  async current(): Promise<string> {
    return idOf(await this.#note.read());
  }

  /**
   * A customer is known. Undefined: somebody signed out. If the current session does not belong to this customer, it ends.
   * Returns the id of the session whose events belong to the customer; undefined if there is none.
   */
  async claim(customer: string | undefined): Promise<string | undefined> {
    let theirs: string | undefined;
    let changed = '';
    await this.#note.change((text) => {
      // The note calls this function again, although the change was made.
      if (text === changed) return changed;
      const [, salt = uuid(), owner] = text?.split(' ') ?? [];
      const claimant = hashOf(salt + customer);
      theirs = customer !== undefined && (owner ?? claimant) === claimant ? idOf(text) : undefined;
      changed = theirs ?? uuid();
      if (customer !== undefined) changed += ` ${salt} ${claimant}`;
      return changed;
    });
    return theirs;
  }

  close(): void {
    this.#note.close?.();
  }
}

/** The id in a note. The first session of a device has an empty id. */
function idOf(note = ''): string {
  return note.split(' ', 1)[0] ?? '';
}
