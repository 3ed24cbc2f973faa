import { isHidden } from '../keep/page/tabs.ts';
import { registerSync } from '../platform/page/background-sync.ts';

/** So long an intention to navigate within this origin counts. */
const INTENTION_MS = 10_000;

interface NextPage {
  readonly url: string | null;
}

interface Swap extends Event {
  readonly activation?: { readonly entry?: NextPage | null } | null;
}

interface Navigate extends Event {
  readonly destination: NextPage & { readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
}

interface LeavingListener {
  /** The page may go: begin to write. */
  write(): void;
  /** Another document takes its place. Between this and `hide`, Chromium ends pending requests, as if they had failed. */
  swap(): void;
  /** The page is hidden. `isSure`: it goes. `isKept`: send nothing, the next page does. */
  hide(isSure: boolean, isKept: boolean): void;
  /** The page is seen. `isBack`: it was gone. */
  show(isBack: boolean): void;
  online(): void;
  offline(): void;
}

/** Listens to what happens to a page, until the signal aborts. */
export function listenToPage(
  { write, swap, hide, show, online, offline }: LeavingListener,
  signal: AbortSignal,
): void {
  const page = globalThis.document;
  let followedAt = Number.NaN;

  function on(
    type: string,
    callback: (event: Event) => void,
    target: EventTarget | undefined = globalThis,
    capture = false,
  ): void {
    target?.addEventListener?.(type, callback, { capture, signal });
  }

  function follow(next?: NextPage | null): void {
    followedAt = next?.url?.startsWith(`${location.origin}/`) ? performance.now() : Number.NaN;
  }

  function go(isLeft: boolean): void {
    const isOffline = navigator.onLine === false;
    hide(isLeft, isOffline || (isLeft && performance.now() - followedAt < INTENTION_MS));
    if (isOffline) registerSync();
  }

  function back(): void {
    follow();
    show(true);
  }

  const leave = () => go(true);
  const isTold = 'onpageswap' in globalThis;
  on('pageswap', (event) => {
    follow((event as Swap).activation?.entry);
    swap();
  });
  on(
    'navigate',
    (event) => {
      const { destination, downloadRequest } = event as Navigate;
      if (destination.sameDocument || downloadRequest !== null) return;
      if (!isTold) follow(destination);
      write();
    },
    (globalThis as { readonly navigation?: EventTarget }).navigation,
  );
  on('visibilitychange', () => (isHidden() ? go(false) : show(false)));
  on('pagehide', leave);
  on('freeze', leave, page);
  // Before the listeners of the page, which may track.
  on('pageshow', back, globalThis, true);
  on('resume', back, page, true);
  on('online', online);
  on('offline', offline);
}
