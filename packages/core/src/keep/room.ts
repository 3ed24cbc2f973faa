import type { EventBytes } from '../base/event-bytes.ts';

/** Keeps the journal within its size limits. Asked before each write. */
export interface Room {
  /** Whether there is room for a group. If so, reserves the room until `written` is called. */
  hasRoom(group: EventBytes): boolean;
  /**
   * Makes room for a group and reserves it until `written` is called.
   * - `room`: the group may be written.
   * - `full`: there is no room. The group must be dropped.
   * - `low`: the disk has too little space left for other programs, and the journal has nothing on it to give up.
   *
   * @param isLast Whether events like these are given up last. Older ones of the same kind are then given up once there are
   *   no others.
   */
  makeRoom(group: EventBytes, isLast?: boolean): Promise<'room' | 'full' | 'low'>;
  /** How many events of a group, from the first one on, the journal has room for. */
  fitting(group: EventBytes): number;
  /** The group was written, or the write failed: ends the reservation. */
  written(group: EventBytes): void;
}

/** There is room for all: storage alone is the limit. */
export const UNLIMITED: Room = {
  hasRoom: () => true,
  makeRoom: async () => 'room',
  fitting: ({ ends }) => ends.length,
  written: () => {},
};
