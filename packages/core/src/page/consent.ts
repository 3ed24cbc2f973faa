import { type AccountNames, databaseName } from '../keep/account.ts';
import type { Consent } from '../options/options.ts';
import type { Settings } from '../options/settings.ts';
import { loadText, saveText } from './store/origin.ts';

interface ConsentOptions {
  readonly account: AccountNames;
  /** Marks in the database whether consent is denied: a service worker cannot read localStorage. */
  readonly mark: (isDenied: boolean) => void;
  readonly settings: Pick<Settings, 'consent' | 'journal'>;
  readonly signal: AbortSignal;
  /** The page is seen by somebody: its work begins. */
  readonly start: () => void;
  readonly onChange: () => void;
}

export interface ConsentGate {
  readonly current: Consent;
  readonly isGranted: boolean;
  /** Begins, at once or as soon as the page is seen. */
  open(): void;
  /** Resolves once it is granted. */
  granted(): Promise<void>;
  set(consent: Consent): void;
}

/**
 * Whether events may be stored and sent. A page that is prerendered waits. A denial holds for all trackers of an account in one
 * origin, until one of them calls `setConsent('granted')`. It is in localStorage: a page can read that as it starts, and hears of
 * changes. Where localStorage fails, a denial ends with its page.
 */
export function createConsent(options: ConsentOptions): ConsentGate {
  const { account, settings, mark, signal, onChange } = options;
  const name = databaseName(account, 'consent');
  const isStored = !settings.journal;
  let wanted = settings.consent;
  /** Whether `wanted` is what the application chose: granted or denied. */
  let isChosen = false;
  let current: Consent = 'pending';
  let stored = isStored ? loadText(name) : undefined;
  let grant = () => {};
  let granted = promise();
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
  let isHeldBack = page?.prerendering === true;
  // A page hears of no change while it is in the back/forward cache, nor of one that another tracker in it makes.
  for (const type of isStored ? ['storage', 'pageshow', name] : [])
    globalThis.addEventListener?.(type, look, { signal });

  function promise(): Promise<void> {
    return new Promise((resolve) => {
      grant = resolve;
    });
  }

  function start(): void {
    isHeldBack = false;
    change(stored === 'denied' && !isChosen ? 'denied' : wanted, isChosen);
    options.start();
  }

  function look(): void {
    const text = loadText(name);
    if (text === undefined || text === stored) return;
    stored = text;
    if (text === 'denied' || text === 'granted') change(text, false);
  }

  function change(next: Consent, isChoice: boolean): void {
    if (isHeldBack) [wanted, isChosen] = [next, isChoice && next !== 'pending'];
    if (isHeldBack || signal.aborted) return;
    const isNews = next !== 'pending' && (next === 'denied') !== (stored === 'denied');
    if (isStored && isChoice && isNews) {
      stored = next;
      saveText(name, next);
      globalThis.dispatchEvent?.(new Event(name));
      mark(next === 'denied');
    }
    if (current === next || (next === 'pending' && stored === 'denied')) return;
    // Whoever waits for it goes on waiting, whatever else it becomes.
    if (current === 'granted') granted = promise();
    current = next;
    if (next === 'granted') grant();
    onChange();
  }

  return {
    get current() {
      return current;
    },
    get isGranted() {
      return current === 'granted';
    },
    open() {
      if (isHeldBack) page?.addEventListener('prerenderingchange', start, { signal });
      else start();
    },
    granted: () => granted,
    set: (next) => change(next, true),
  };
}
