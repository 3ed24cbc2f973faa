import type { Breaker } from '../pace/breaker.ts';
import { registerSync } from './background-sync.ts';
import type { ConsentGate } from './consent.ts';
import type { Identity } from './identity.ts';
import type { Keeper } from './keep/keeper.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Tabs } from './keep/tabs.ts';
import type { Sender } from './send/sender.ts';
import { isHidden } from './store/origin.ts';

/** How long an intention to navigate within this origin counts. */
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

interface LeavingStages {
  readonly gate: Breaker;
  readonly identity: Identity;
  readonly keeper: Keeper;
  readonly consent: ConsentGate;
  readonly parcels: Parcels;
  readonly sender: Sender;
  readonly tabs: Tabs;
}

/**
 * Follows what happens to a page, until the signal aborts.
 *
 * @param look Lists what others left, and sends it.
 */
export function listenToPage(stages: LeavingStages, look: () => void, signal: AbortSignal): void {
  const { gate, identity, keeper, consent, parcels, sender, tabs } = stages;
  const page = globalThis.document;
  let followedAt = Number.NaN;
  /** Its last requests are made. */
  let isSent = false;

  function on(
    type: string,
    callback: (event: Event) => void,
    target: EventTarget | null | undefined = globalThis,
    capture = false,
  ): void {
    // Where there is no page, workerd refuses listeners that capture.
    target?.addEventListener?.(type, callback, { capture: capture && !!page, signal });
  }

  function follow(next?: NextPage | null): void {
    // A browser names only pages of this origin, and not the addresses of those that send no referrer.
    const isHere = next && next.url?.startsWith(`${location.origin}/`) !== false;
    followedAt = isHere ? performance.now() : Number.NaN;
  }

  /** From here on Chromium ends pending requests, as if they had failed. */
  function leave(): void {
    keeper.leave(true);
    // Others look for what it leaves, though they have nothing to send themselves.
    tabs.tell(['waits']);
    tabs.close();
    sender.rest();
  }

  /** @param isSure The page goes. Otherwise it is hidden, and may live on. */
  function hide(isSure: boolean): void {
    const isOffline = globalThis.navigator?.onLine === false;
    const isFollowed = isSure && performance.now() - followedAt < INTENTION_MS;
    identity.leave();
    const sendsNothing = isSent || isOffline || !consent.isGranted;
    isSent ||= isSure;
    if (isSure) leave();
    // The next page sends what is stored.
    if (isFollowed) void keeper.commit();
    if (isOffline || (!sendsNothing && sender.leave(isSure, isFollowed))) registerSync();
    void keeper.commit();
    if (sendsNothing || isSure) return;
    for (const parcel of parcels.all.values()) parcel.isHigh = true;
    sender.wake();
  }

  function show(): void {
    gate.hint();
    sender.wake();
  }

  function back(): void {
    follow();
    keeper.leave(false);
    tabs.open();
    if (isSent) {
      identity.look();
      look();
    }
    isSent = false;
    show();
  }

  const isTold = 'onpageswap' in globalThis;
  on('pageswap', (event) => {
    follow((event as Swap).activation?.entry);
    leave();
  });
  on(
    'navigate',
    (event) => {
      const { destination, downloadRequest } = event as Navigate;
      if (destination.sameDocument || downloadRequest !== null) return;
      if (!isTold) follow(destination);
      void keeper.commit();
    },
    // Where it is missing, an event of this name is that of a router of the page.
    (globalThis as { readonly navigation?: EventTarget }).navigation ?? null,
  );
  on('visibilitychange', () => (isHidden() ? hide(false) : show()));
  on('pagehide', () => hide(true));
  // Its timers and requests stand still: others have the turn. Not all browsers tell of its end.
  on(
    'freeze',
    () => {
      hide(false);
      sender.rest();
    },
    page,
  );
  // Before the listeners of the page, which may track.
  on('pageshow', back, globalThis, true);
  on('resume', back, page, true);
  on('online', () => {
    if (gate.hint()) sender.retry();
    sender.wake();
  });
  on('offline', () => gate.doubt(1));
}
