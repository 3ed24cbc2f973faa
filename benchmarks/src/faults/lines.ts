/** Shares tries among lines that run side by side, and waits for all of them. Returns what each found. */
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

/** Sums one number of all of them. */
export function sumOf<Found>(all: readonly Found[], number: (one: Found) => number): number {
  return all.reduce((sum, one) => sum + number(one), 0);
}
