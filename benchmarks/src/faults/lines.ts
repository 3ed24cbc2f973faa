/** Divides tries among lines that run in parallel, and waits for all of them. Returns the result of each line. */
export async function inLines<Found>(
  lines: number,
  tries: number,
  run: (line: number, tries: number) => Promise<Found>,
): Promise<Found[]> {
  const shares = Array.from({ length: lines }, (_, line) => Math.floor((tries + line) / lines));
  const ended = await Promise.allSettled(shares.map((share, line) => run(line, share)));
  return ended.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    throw result.reason;
  });
}

/** The sum of one number over all entries. */
export function sumOf<Found>(all: readonly Found[], number: (one: Found) => number): number {
  return all.reduce((sum, one) => sum + number(one), 0);
}
