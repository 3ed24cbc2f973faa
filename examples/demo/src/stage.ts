import type { StrikeRow } from './bird-strikes.ts';
import type { OperatorCustomer } from './operators.ts';
import type { TrackerSettings } from './processes/messages.ts';
import type { ScratchDirectory } from './scratch-directory.ts';
import type { Service } from './service.ts';
import type { Screen } from './terminal/screen.ts';

/** What every scene can use. */
export interface Stage {
  readonly screen: Screen;
  readonly rows: readonly StrikeRow[];
  readonly customers: readonly OperatorCustomer[];
  readonly scratch: ScratchDirectory;
  readonly service: Service;
  readonly signal: AbortSignal;
}

/** The settings that an application needs to track. They are the same before and after the crash. */
export function trackerSettings({ service, scratch }: Stage): TrackerSettings {
  const { baseUrl, apiKey } = service.address;
  return { baseUrl, apiKey, journalDirectory: scratch.journal, logFile: scratch.log };
}
