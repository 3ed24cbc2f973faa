import { createListeners } from '../http/listeners.ts';
import { Account } from './account.ts';
import type { Emulator } from './emulator.ts';
import { checkOptions, type EmulatorOptions, type Settings } from './options.ts';
import { RunningEmulator } from './running-emulator.ts';

/**
 * Starts the service on this machine: both endpoints of the interface, each on its own base address. Several emulators can run in
 * one process. An emulator keeps the process alive until `close()`.
 *
 * @throws Rejects with `ConfigError` for a wrong option or a port that is taken, and with a `SluiceError` of code `SLUICE_STORAGE` if
 * the data directory cannot be used.
 * @example
 * await using emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'ada@example.com' }] });
 * const tracker = createTracker({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email' });
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = checkOptions(options);
  const account = new Account(settings);
  try {
    const apiKey = setUp(account, settings);
    const { events, api, live, faults } = createListeners(account, settings);
    const { token, behaviour } = settings;
    const emulator = new RunningEmulator({ account, behaviour, faults, apiKey, token, live, events, api });
    await emulator.resume();
    for (const fault of settings.faults) faults.add(fault);
    await faults.settled;
    const { baseUrl, apiUrl } = emulator;
    settings.logger.info({ baseUrl, apiUrl, primaryKey: emulator.primaryKey }, 'emulator listens');
    return emulator;
  } catch (error) {
    await account.close();
    throw error;
  }
}

function setUp(
  account: Account,
  { apiKey, primaryKey, customers, seed, behaviour, logger }: Settings,
): string {
  behaviour.keepIn(account.settings);
  if (primaryKey !== undefined) account.selectPrimaryKey(primaryKey);
  if (customers !== undefined) account.addCustomers(customers);
  if (seed !== undefined) {
    const events = account.seed(seed);
    if (events === undefined) logger.info({ seed }, 'seed left out: there are events already');
    else logger.info({ seed, events }, 'events loaded');
  }
  if (apiKey === undefined) return account.apiKeys.oldest() ?? account.apiKeys.create('default');
  account.apiKeys.put(apiKey, 'default');
  return apiKey;
}
