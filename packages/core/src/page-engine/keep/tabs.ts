import type { Fate } from '../../base/fate.ts';
import type { Meeting } from '../../keep/page/tabs.ts';
import type { ParcelKey } from './parcel.ts';

/** What pages of an account tell each other. */
export type Message =
  /** Events wait to be sent. */
  | readonly ['waits']
  /** A parcel ended. */
  | readonly ['ended', id: string, fate: Fate]
  /** Others took the place of a parcel. */
  | readonly ['cut', id: string, keys: readonly ParcelKey[]]
  /** Who is the customer of the session. */
  | readonly ['session', id: string, customer: string | undefined, isNew: boolean]
  /** Who is the customer? */
  | readonly ['who'];

export interface Tabs {
  tell(message: Message): void;
  /** Does the work while no other page does. */
  alone(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  open(): void;
  close(): void;
}

export function createTabs(
  name: string,
  { createChannel, locks }: Meeting,
  onMessage: (message: Message) => void,
): Tabs {
  let channel: BroadcastChannel | undefined;
  return {
    tell(message) {
      channel?.postMessage(message);
    },
    async alone(work, signal) {
      await (locks ? locks.request(name, { signal }, work) : work());
    },
    open() {
      channel ??= createChannel?.(name);
      if (channel) channel.onmessage = ({ data }) => onMessage(data);
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
}
