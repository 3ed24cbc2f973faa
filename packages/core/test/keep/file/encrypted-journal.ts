import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { FileJournal, type FileJournalOptions } from '../../../src/entries/file-journal.ts';
import { type EventBytes, type Limit, type Range, type Reading, StorageError } from '../../../src/index.ts';

const COMMA = Buffer.from(',');
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** An example: the file journal, with the text of each event encrypted. The file shows how many events there are, and when. */
export class EncryptedJournal extends FileJournal {
  declare readonly groupLimit: Limit;
  readonly #key: KeyObject;

  /** @param key 32 bytes. What lies under another key stays there: reading rejects until the journal has that key again. */
  constructor(options: FileJournalOptions, key: KeyObject) {
    super(options);
    this.#key = key;
    const { maxEvents, maxBytes } = this.groupLimit;
    // What is encrypted is larger.
    this.groupLimit = { maxEvents, maxBytes: Math.ceil(maxBytes / 4) };
  }

  override append(events: EventBytes): Promise<Range> {
    return super.append(this.#encrypt(events));
  }

  override appendSync(events: EventBytes): Range {
    return super.appendSync(this.#encrypt(events));
  }

  override async read(range: Range, limit: Limit): Promise<Reading> {
    const reading = await super.read(range, limit);
    return { ...reading, events: this.#decrypt(reading.events) };
  }

  #encrypt(events: EventBytes): EventBytes {
    return eachEvent(events, (text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, this.#key, iv);
      const encrypted = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      // A journal file holds JSON: https://www.rfc-editor.org/rfc/rfc8259
      return Buffer.from(`"${encrypted.toString('base64')}"`);
    });
  }

  #decrypt(events: EventBytes): EventBytes {
    return eachEvent(events, (json) => {
      const encrypted = Buffer.from(Buffer.from(json).toString().slice(1, -1), 'base64');
      const decipher = createDecipheriv(CIPHER, this.#key, encrypted.subarray(0, IV_BYTES));
      try {
        decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch (cause) {
        throw new StorageError('cannot decrypt an event: was it written with another key?', { cause });
      }
    });
  }
}

/** The events, each changed. Keeps the time of each. */
function eachEvent({ bytes, ends, times }: EventBytes, change: (text: Uint8Array) => Buffer): EventBytes {
  let start = 0;
  const changed = Array.from(ends, (end) => {
    const event = change(bytes.subarray(start, end));
    start = end + 1;
    return event;
  });
  let last = -1;
  return {
    bytes: Buffer.concat(changed.flatMap((event, index) => (index === 0 ? [event] : [COMMA, event]))),
    ends: Uint32Array.from(changed, (event) => {
      last += 1 + event.length;
      return last;
    }),
    times,
  };
}
