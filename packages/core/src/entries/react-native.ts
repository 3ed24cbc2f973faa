/**
 * The package for React Native. The app passes its SQLite database, and what tells whether the app is in use and has a network: so
 * Sluice depends on no native module.
 */
import { ConfigError } from '@sluice/protocol';
import { hasMethods, refusal, tried } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { AnyEvents } from '../accept/track.ts';
import type { TrackerOptions } from '../options/options.ts';
import { type Device, onDevice, platform as reactNative } from '../platform/react-native.ts';
import { createWith } from '../server.ts';
import type { Tracker } from '../tracker.ts';

export * from '../index.ts';
export type { SqliteDatabase, SqliteValue } from '../keep/sqlite/sqlite-store.ts';
export type { AppState, Device, NetInfo } from '../platform/react-native.ts';

/** Options of `createTracker` in React Native. */
export interface ReactNativeOptions extends Omit<TrackerOptions, 'journalDirectory' | 'fsync'>, Device {}

/** What Sluice needs, whether it is there, and what adds it. Only the last React Native has all but the first. */
const NEEDED: readonly (readonly [name: string, isThere: () => unknown, polyfill: string])[] = [
  ['crypto.getRandomValues', () => globalThis.crypto.getRandomValues, 'react-native-get-random-values'],
  ['TextDecoder', () => globalThis.TextDecoder, 'fast-text-encoding'],
  ['URL', () => new URL('https://a.example/b').pathname === '/b', 'react-native-url-polyfill/auto'],
];

/**
 * As `createTracker` of `@sluice/core`, with the journal in the SQLite database that is passed, and with all parts.
 *
 * @throws A ConfigError if an option is wrong, or if this React Native lacks something: then the error says what to install.
 * @example
 * const database = open({ name: 'sluice.db' }); // of @op-engineering/op-sqlite
 * const tracker = createTracker({ baseUrl, correlationKey: 'email', database, appState: AppState, netInfo: NetInfo });
 */
export function createTracker<Events extends object = AnyEvents>(
  options: ReactNativeOptions,
): Tracker<Events>;
export function createTracker(options: ReactNativeOptions): Tracker {
  const { database, appState, netInfo, ...others }: ReactNativeOptions = { ...options };
  if (platform !== reactNative) {
    const how = 'let your bundler use the export condition react-native, as Metro does';
    throw new ConfigError('options', `@sluice/core was bundled for another platform: ${how}`);
  }
  for (const [name, isThere, polyfill] of NEEDED) {
    // It may throw where something is missing.
    if (tried(isThere)) continue;
    const how = `install ${polyfill.replace('/auto', '')}, and import "${polyfill}" before everything else`;
    throw new ConfigError(name, `${name} is missing in this React Native: ${how}`);
  }
  if (!hasMethods(database, 'execute')) throw refusal('database', 'an object with execute', database);
  return onDevice({ database, appState, netInfo }, () => createWith(others, platform));
}
