export type { BehaviourChange, RequestRow } from './admin/contract.ts';
export type { Behaviour, BehaviourSettings } from './behaviour/behaviour.ts';
export type { PresetName } from './behaviour/presets.ts';
export { MissingEventsError, type WaitOptions } from './events/awaited-events.ts';
export type { RefusalBody, RefusalCode } from './events/refusal.ts';
export type { EventCounts, EventDimension, StoredEvent, ValueCount } from './events/tracked-events.ts';
export type {
  Fault,
  FaultHandle,
  FaultScope,
  Script,
} from './faults/fault.ts';
export type { ClearOptions } from './running/account.ts';
export type { Emulator } from './running/emulator.ts';
export type { Logger } from './running/logger.ts';
export type { EmulatorOptions } from './running/options.ts';
export { startEmulator } from './running/start-emulator.ts';
export type { EventFilter, EventQuery } from './storage/event-filter.ts';
export type { RequestOutcome } from './storage/request-store.ts';
