/** Hears what happens in a schedule, line by line. Most run without one: making the lines takes time. */
export type Log = ((line: string) => void) | undefined;
