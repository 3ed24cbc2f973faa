import { uuid } from '../../base/uuid.ts';
import type { Note } from '../../keep/note.ts';

/**
 * A session is what happens on one device until somebody signs out or somebody else signs in. It has at most one
 * customer, and its held events belong to that customer or to nobody. A note names the current session: its id and, once it has a
 * customer, a space and a digest of the customer. It does not say who the customer is.
 */
export class Sessions {
  /** The session that the note named last. */
  id: string | undefined;
  /** Its customer. Undefined if it has none, or if this process does not know the customer. */
  customer: string | undefined;
  readonly #note: Note;

  constructor(note: Note) {
    this.#note = note;
  }

  /** Reads the note. Returns the id of the current session. */
  async read(): Promise<string> {
    const [id = ''] = split(await this.#note.read());
    if (id !== this.id) this.customer = undefined;
    this.id = id;
    return id;
  }

  /**
   * A customer is known. Undefined: somebody signed out. If the current session does not belong to this customer, it ends.
   * Returns the id of the session whose events belong to the customer; undefined if there is none.
   */
  async claim(customer: string | undefined): Promise<string | undefined> {
    const digest = customer === undefined ? '' : await this.#note.digest(JSON.stringify(customer));
    let theirs: string | undefined;
    let session = '';
    await this.#note.change((text) => {
      const [id = '', owner = digest] = split(text);
      const isTheirs = owner === digest || (id === this.id && customer === this.customer);
      theirs = customer !== undefined && isTheirs ? id : undefined;
      session = theirs ?? uuid();
      return customer === undefined ? session : `${session} ${digest}`;
    });
    this.id = session;
    this.customer = customer;
    return theirs;
  }
}

/** The id in a note, and the digest if the session has a customer. The first session of a device has an empty id. */
function split(text = ''): string[] {
  return text.split(' ');
}
