import { uuid } from '../../base/uuid.ts';
import type { Note, Others, Word } from '../../keep/note.ts';

/**
 * A session is what happens on one device, in all its tabs, until somebody signs out or somebody else signs in. It has at most
 * one customer, and its held events belong to that customer or to nobody. A note names the current session: its id and, once it
 * has a customer, a space and a digest of the customer.
 *
 * The note does not say who the customer is. Tabs tell that to each other.
 */
export class Sessions {
  /** The session that the note named last. */
  id: string | undefined;
  /** Its customer. Undefined if it has none, or if this tab does not know the customer. */
  customer: string | undefined;
  readonly #note: Note;
  #others: Others | undefined;
  /** What another tab said last. It holds once the note names this session. */
  #heard: Word | undefined;

  constructor(note: Note) {
    this.#note = note;
  }

  /** Calls back if another tab says something new. `isNew`: whether it has begun a new session. The customer may be unknown. */
  listen(onNews: (isNew: boolean, customer: string | undefined) => void): void {
    this.#others = this.#note.join?.((word) => {
      if (!word) {
        if (this.customer !== undefined) this.#tell(false);
        return;
      }
      const [id, customer = this.customer, isNew] = word;
      // Several tabs may answer.
      if ((id === this.id && customer === this.customer) || String(word) === String(this.#heard)) return;
      this.#heard = word;
      onNews(isNew, word[1]);
    });
  }

  /** Reads the note. Returns the id of the current session. */
  async read(): Promise<string> {
    const [id = '', owner] = split(await this.#note.read());
    if (id !== this.id) this.customer = undefined;
    this.id = id;
    if (this.#heard?.[0] === id) this.customer = this.#heard[1] ?? this.customer;
    if (owner !== undefined && this.customer === undefined) this.#others?.tell(undefined);
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
    let changed = '';
    await this.#note.change((text) => {
      // The note calls this function again, although the change was made.
      if (text === changed) return changed;
      const [id = '', owner = digest] = split(text);
      const isTheirs = owner === digest || (id === this.id && customer === this.customer);
      theirs = customer !== undefined && isTheirs ? id : undefined;
      session = theirs ?? uuid();
      changed = customer === undefined ? session : `${session} ${digest}`;
      return changed;
    });
    const isNews = session !== this.id || customer !== this.customer;
    this.id = session;
    this.customer = customer;
    if (isNews) this.#tell(theirs === undefined);
    return theirs;
  }

  close(): void {
    this.#others?.close();
    this.#note.close?.();
  }

  #tell(isNew: boolean): void {
    this.#others?.tell([this.id, this.customer, isNew]);
  }
}

/** The id in a note, and the digest if the session has a customer. The first session of a device has an empty id. */
function split(text = ''): string[] {
  return text.split(' ');
}
