import type { SqliteDatabase } from '../../keep/sqlite/sqlite-store.ts';

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
  /** Holds the journal. Open it, pass it, and leave it open until the tracker is closed. */
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
