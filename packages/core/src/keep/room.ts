import type { EventBytes } from '../base/event-bytes.ts';

/** Keeps the journal within its bounds, before each write. */
export interface Room {
  /** Whether there is room for a group; if so, reserves it until `written`. */
  hasRoom(group: EventBytes): boolean;
  /**
   * Makes room for a group, and reserves it until `written`. Where its events are to be given up last, others of their
   * kind go when there are none of the other.
   * - `room`: it may be written.
   * - `full`: there is none, and what is to be dropped is the group.
   * - `low`: the disk has too little left for others, and nothing of ours on it could go.
   */
  makeRoom(group: EventBytes, isLast?: boolean): Promise<'room' | 'full' | 'low'>;
  /** How many events of a group, from the first on, the journal has room for. */
  fitting(group: EventBytes): number;
  /** A group is written, or could not be: its room is not reserved any more. */
  written(group: EventBytes): void;
}
