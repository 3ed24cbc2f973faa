/** Receives what happens in a schedule, line by line. Usually undefined, because making the lines takes time. */
export type Log = ((line: string) => void) | undefined;
