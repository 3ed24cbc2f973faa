import { SluiceError } from '@sluice/protocol';
import type { TrackerCount, TrackerRow, TrackerValues } from '../admin/contract.ts';
import type { SearchFilter } from './event-filter.ts';
import type { Page, PageQuery } from './event-search.ts';
import type { WholeEvent } from './found-events.ts';
import type { ValueField } from './value-list.ts';

/** The questions about events, and their answers. */
export interface Questions {
  /** The matching events, as rows of a list. */
  readonly rows: Question<readonly [SearchFilter, PageQuery], Page<TrackerRow>>;
  /** The matching events, complete. */
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

/** Searches the events while new ones arrive, on this thread or on another one. */
export interface Search {
  /** The id up to which events are in the search index. A search finds newer ones too, only slower. */
  readonly indexed: number;
  /** Call it when events were added or removed. It costs very little. */
  changed(): void;
  ask<K extends keyof Questions>(kind: K, given: Questions[K]['given']): Promise<Questions[K]['answer']>;
  /** Ends the search. Pending questions are rejected. */
  close(): Promise<void>;
}

/** The error if the search ends before it has answered. */
export function ended(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'The emulator was closed, or its search thread ended: ask again.');
}
