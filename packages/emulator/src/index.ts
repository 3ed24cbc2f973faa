export type { ClearOptions } from './account.ts';
export type { BehaviourChange, RequestRow } from './admin/contract.ts';
export { MissingEventsError, type WaitOptions } from './awaited-events.ts';
export type { Behaviour, BehaviourSettings } from './behaviour.ts';
export type { Emulator } from './emulator.ts';
export type {
  DownFault,
  Fault,
  FaultScope,
  HangFault,
  LatencyFault,
  LostAnswerFault,
  NoFault,
  PoisonFault,
  ResetFault,
  Script,
  StatusFault,
  TooLargeFault,
} from './faults/fault.ts';
export type { FaultHandle } from './faults/fault-handle.ts';
export type { Logger } from './logger.ts';
export type { EmulatorOptions } from './options.ts';
export type { PresetName } from './presets.ts';
export type { RefusalBody, RefusalCode } from './refusal.ts';
export { startEmulator } from './start-emulator.ts';
export type { RequestOutcome } from './storage/request-store.ts';
export type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  StoredEvent,
  ValueCount,
} from './tracked-events.ts';
