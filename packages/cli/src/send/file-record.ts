/** One record of a file, or what is wrong with it. */
export interface FileRecord {
  /** Its line. In an array its place, from 1: many may be in one line. */
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
  /** The text of a record that is wrong. */
  readonly text?: string;
}

/** A record from its JSON. */
export function readJson(text: string, number: number): FileRecord {
  try {
    return { number, value: JSON.parse(text), text };
  } catch {
    return { number, problem: 'it is no JSON', text };
  }
}
