import { type AccountNames, databaseName } from '../keep/account.ts';
import type { Consent } from '../options/options.ts';
import { loadText, saveText } from './store/local-storage.ts';

interface ConsentOptions {
  readonly account: AccountNames;
  /** Marks in the database whether consent is denied: a service worker reads it there. */
  readonly mark: (isDenied: boolean) => void;
  /** Undefined: nothing is stored. */
  readonly isStored: boolean;
  /** What the options of the tracker say. */
  readonly wanted: Consent;
  readonly signal: AbortSignal;
  /** The page is seen by somebody: its work begins. */
  readonly onStart: () => void;
  readonly onGranted: () => void;
  readonly onDenied: () => void;
}

export interface ConsentGate {
  readonly current: Consent;
  /** Begins, at once or as soon as the page is seen. */
  open(): void;
  /** Resolves once it is granted. */
  granted(): Promise<void>;
  set(consent: Consent): void;
}

/**
 * Whether events may be stored and sent. A denial is in localStorage: all pages of an account share it, until one of them is granted
 * consent. Where localStorage fails, a denial ends with its page. A page that is prerendered waits.
 */
export function createConsent(options: ConsentOptions): ConsentGate {
  const { account, isStored, mark, signal, onStart, onGranted, onDenied } = options;
  const name = databaseName(account, 'consent');
  let { wanted } = options;
  let current: Consent = 'pending';
  let grant = () => {};
  let granted = promise();
  let stored = isStored ? loadText(name) : undefined;
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
  let isHeldBack = page?.prerendering === true;

  function promise(): Promise<void> {
    return new Promise((resolve) => {
      grant = resolve;
    });
  }

  function start(): void {
    isHeldBack = false;
    change(stored === 'denied' ? stored : wanted, wanted !== options.wanted);
    onStart();
  }

  /** Another page, or another tracker in this one, may have changed what is stored. */
  function look(): void {
    const text = loadText(name);
    if (text === undefined || text === stored) return;
    stored = text;
    if (text === 'denied' || text === 'granted') change(text, false);
  }

  function store(next: Consent): void {
    stored = next;
    saveText(name, next);
    globalThis.dispatchEvent?.(new Event(name));
    mark(next === 'denied');
  }

  function change(next: Consent, isChoice: boolean): void {
    if (isHeldBack) wanted = next;
    if (isHeldBack || signal.aborted) return;
    const isNew = next === 'granted' ? stored === 'denied' : next === 'denied' && stored !== next;
    if (isChoice && isStored && isNew) store(next);
    if (current === next || (next === 'pending' && stored === 'denied')) return;
    current = next;
    if (next === 'granted') {
      grant();
      onGranted();
    } else granted = promise();
    if (next === 'denied') onDenied();
  }

  // A page hears of no change while it is in the back/forward cache.
  if (isStored)
    for (const type of ['storage', 'pageshow', name]) globalThis.addEventListener?.(type, look, { signal });

  return {
    get current() {
      return current;
    },
    open() {
      if (isHeldBack) page?.addEventListener('prerenderingchange', start, { signal });
      else start();
    },
    granted: () => granted,
    set: (next) => change(next, true),
  };
}
