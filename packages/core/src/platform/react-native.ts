import { databaseName } from '../keep/account.ts';
import { SqliteJournal } from '../keep/sqlite/sqlite-journal.ts';
import { type SqliteDatabase, SqliteNote } from '../keep/sqlite/sqlite-store.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import { MAX_ANSWER_BYTES } from '../send/http/transport.ts';
import { allParts } from './all-parts.ts';
import type { Platform } from './platform.ts';
import { web } from './web.ts';

/** React Native's `AppState`, as far as it is used here. */
export interface AppState {
  /** `active`, `inactive`, `background`, or unknown. */
  readonly currentState: string | null;
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
}

/** The default export of `@react-native-community/netinfo`, as far as it is used here. */
export interface NetInfo {
  /** Returns a function that removes the listener. */
  addEventListener(listener: (state: { readonly isConnected: boolean | null }) => void): () => void;
}

/** What a tracker uses of the device. The application passes it, so that Sluice depends on no native module. */
export interface Device {
  /**
   * Holds the journal. Open a connection for Sluice alone, pass it, and leave it open until the tracker is closed: if the app rolls
   * back a transaction on the same connection, events are lost.
   */
  readonly database: SqliteDatabase;
  /**
   * Pass `AppState` of `react-native`: when the app goes to the background, Sluice writes and sends what waits. Default: Sluice
   * does not notice it.
   */
  readonly appState?: AppState | undefined;
  /**
   * Pass `NetInfo` of `@react-native-community/netinfo`: when the network is back, Sluice sends at once. Default: it tries again
   * after a wait.
   */
  readonly netInfo?: NetInfo | undefined;
}

/** The device of the tracker that is being created. */
let current: Device | undefined;
/** One for the whole app. */
let app: AppState | undefined;

/** Calls `create`. The trackers that it creates, before it returns, use this device. */
export function onDevice<Result>(device: Device, create: () => Result): Result {
  current = device;
  try {
    return create();
  } finally {
    current = undefined;
  }
}

const lifecycle: Platform['lifecycle'] = {
  listen({ hide, show, online, offline }) {
    const { appState, netInfo } = current ?? {};
    app = appState ?? app;
    // Between `active` and `background`, iOS says `inactive`. It says that for a call or a menu, too.
    const subscription = appState?.addEventListener('change', (state) => {
      if (state === 'background') hide();
      if (state === 'active') show();
    });
    const forget = netInfo?.addEventListener(({ isConnected }) => {
      if (isConnected === true) online();
      if (isConnected === false) offline();
    });
    return () => {
      subscription?.remove();
      forget?.();
    };
  },
  isHidden: () => app?.currentState === 'background',
};

/** React Native, with a SQLite database of the app. */
export const platform: Platform = {
  ...web,
  lifecycle,
  parts: allParts,
  createJournal: ({ settings, part }) =>
    current && new SqliteJournal(current.database, databaseName(settings, part), settings.clock),
  createNote: ({ settings, part }) =>
    current && new SqliteNote(current.database, databaseName(settings, part)),
  createTransport: ({ delivery }) => new WholeTransport(delivery),
};

/** `fetch` of React Native does not stream an answer: its body is there at once. */
class WholeTransport extends FetchTransport {
  protected override async read(answer: Response, stopped: Promise<never>): Promise<string> {
    if (answer.body) return super.read(answer, stopped);
    const text = await Promise.race([answer.text(), stopped]).catch(() => '');
    return text.slice(0, MAX_ANSWER_BYTES);
  }
}
