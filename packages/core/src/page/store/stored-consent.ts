import { type AccountNames, databaseName } from '../../keep/account.ts';
import { loadText, saveText } from './local-storage.ts';

/** A denial of consent that holds for all trackers of an account in one origin, now and later, until one of them is granted it. */
interface ConsentStore {
  readonly isDenied: boolean;
  /** Stores a denial, or that it is lifted. */
  set(consent: 'granted' | 'denied'): void;
  /** Stops to listen to others. */
  close(): void;
}

/**
 * A denial in localStorage: a page can read it as it starts, and hears of it from others. Where localStorage fails, a denial
 * ends with its page.
 *
 * @param mark Tells service workers, which cannot read it.
 */
export function createConsentStore(
  account: AccountNames,
  onChange: (consent: 'granted' | 'denied') => void,
  mark: (isDenied: boolean) => void,
): ConsentStore {
  const name = databaseName(account, 'consent');
  const ended = new AbortController();
  let stored = read();
  const look = () => {
    const before = stored;
    stored = read(before);
    if (stored === before) return;
    if (stored === 'denied' || stored === 'granted') onChange(stored);
  };
  const { signal } = ended;
  // A page hears of no change while it is in the back/forward cache, nor of one that another tracker in it makes.
  for (const type of ['storage', 'pageshow', name]) globalThis.addEventListener?.(type, look, { signal });

  function read(before?: string): string | undefined {
    const text = loadText(name);
    return text === undefined ? before : (text ?? undefined);
  }

  return {
    get isDenied() {
      return stored === 'denied';
    },
    set(consent) {
      if (consent === stored || (consent === 'granted' && stored !== 'denied')) return;
      stored = consent;
      saveText(name, consent);
      globalThis.dispatchEvent?.(new Event(name));
      mark(consent === 'denied');
    },
    close: () => ended.abort(),
  };
}
