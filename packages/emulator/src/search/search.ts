import { SluiceError } from '@sluice/protocol';
import type { TrackerCount, TrackerRow, TrackerValues } from '../admin/contract.ts';
import type { SearchFilter } from './event-filter.ts';
import type { Page, PageQuery } from './event-search.ts';
import type { WholeEvent } from './found-events.ts';
import type { ValueField } from './value-list.ts';

/** What can be asked of the events, and what is answered. */
export interface Questions {
  /** The events that match, as a list shows them. */
  readonly rows: Question<readonly [SearchFilter, PageQuery], Page<TrackerRow>>;
  /** The events that match, whole. */
  readonly whole: Question<readonly [SearchFilter, PageQuery], Page<WholeEvent>>;
  /** How many match. */
  readonly count: Question<readonly [SearchFilter], TrackerCount>;
  /** The values of a field that begin with a text. */
  readonly values: Question<readonly [ValueField, string], TrackerValues['values']>;
}

interface Question<Given, Answer> {
  readonly given: Given;
  readonly answer: Answer;
}

/** Searches the events while they come in, on this thread or on another one. */
export interface Search {
  /** The id up to which events are in the search index. Those behind it are found as well, only slower. */
  readonly indexed: number;
  /** Says that events came or went. Costs next to nothing. */
  changed(): void;
  ask<K extends keyof Questions>(kind: K, given: Questions[K]['given']): Promise<Questions[K]['answer']>;
  /** Ends it. What is being asked is given up. */
  close(): Promise<void>;
}

/** What whoever asks is told where the search ends before it has answered. */
export function ended(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'The emulator was closed, or its search thread ended: ask again.');
}
