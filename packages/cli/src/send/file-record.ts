import { inexactNumber } from './exact-numbers.ts';

/** One record of a file, or what is wrong with it. */
export interface FileRecord {
  /** Its line. In an array its place, from 1: many may be in one line. */
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
  /** The text of a record that is wrong. */
  readonly text?: string;
}

/** A record from its JSON. A number that would change on the way makes it a bad one. */
export function readJson(text: string, number: number): FileRecord {
  try {
    const value: unknown = JSON.parse(text);
    const inexact = inexactNumber(text);
    if (inexact === undefined) return { number, value, text };
    return { number, problem: `JavaScript cannot hold the number ${inexact}: make it a text`, text };
  } catch {
    return { number, problem: 'it is no JSON', text };
  }
}
