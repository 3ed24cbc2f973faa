export type { Emulator } from './emulator.ts';
export type { Logger } from './logger.ts';
export type { EmulatorOptions } from './options.ts';
export { startEmulator } from './start-emulator.ts';
export type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  StoredEvent,
  ValueCount,
} from './tracked-events.ts';
