import type { AccountNames } from '../keep/account.ts';
import type { Consent } from '../options/options.ts';
import { createConsentStore } from './store/stored-consent.ts';

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
  close(): void;
}

/** Whether events may be stored and sent. All pages of an account share what was chosen. A page that is prerendered waits. */
export function createConsent(options: ConsentOptions): ConsentGate {
  const { account, isStored, mark, signal, onStart, onGranted, onDenied } = options;
  let { wanted } = options;
  let current: Consent = 'pending';
  let grant = () => {};
  let granted = promise();
  const stored = isStored ? createConsentStore(account, (next) => change(next, false), mark) : undefined;
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
  let isHeldBack = page?.prerendering === true;

  function promise(): Promise<void> {
    return new Promise((resolve) => {
      grant = resolve;
    });
  }

  function start(): void {
    isHeldBack = false;
    change(stored?.isDenied ? 'denied' : wanted, wanted !== options.wanted);
    onStart();
  }

  function change(next: Consent, isChoice: boolean): void {
    if (isHeldBack) wanted = next;
    if (isHeldBack || signal.aborted) return;
    if (isChoice && next !== 'pending') stored?.set(next);
    if (current === next || (next === 'pending' && stored?.isDenied)) return;
    current = next;
    if (next === 'granted') {
      grant();
      onGranted();
    } else granted = promise();
    if (next === 'denied') onDenied();
  }

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
    close: () => stored?.close(),
  };
}
