import { type JournalReport, type SlotReport, storedDeadLetters } from '@sluice/core/inspect';

/** Sums over some slots. */
export interface Totals {
  readonly waiting: number;
  /** Of these, those of living processes. */
  readonly waitingAlive: number;
  readonly files: number;
  readonly bytes: number;
  readonly damagedBytes: number;
  /** Files of another version of Sluice. */
  readonly foreign: number;
  /** In milliseconds since 1970. */
  readonly oldestAt: number | undefined;
}

/** What `sluice inspect` shows. */
export interface Summary extends JournalReport {
  readonly totals: Readonly<Record<'events' | 'deadLetters' | 'held', Totals>>;
  /** Dead letters by status and answer, the most frequent first. */
  readonly reasons: readonly { readonly status: number; readonly excerpt: string; readonly count: number }[];
}

/** Adds the sums, and the reasons of the dead letters. */
export async function summarise(report: JournalReport): Promise<Summary> {
  const { events, deadLetters, held } = report;
  const totals = { events: totalsOf(events), deadLetters: totalsOf(deadLetters), held: totalsOf(held) };
  const reasons = new Map<string, { status: number; excerpt: string; count: number }>();
  for await (const { letter } of storedDeadLetters(report.directory)) {
    const { status, excerpt } = letter;
    const key = `${status} ${excerpt}`;
    reasons.set(key, { status, excerpt, count: (reasons.get(key)?.count ?? 0) + 1 });
  }
  return { ...report, totals, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
}

/** The sums over some slots. */
export function totalsOf(slots: readonly SlotReport[]): Totals {
  const segments = slots.flatMap(({ isAlive, segments }) => segments.map((one) => ({ ...one, isAlive })));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const times = segments.flatMap(({ oldestAt }) => (oldestAt === undefined ? [] : [oldestAt]));
  return {
    waiting: sum(segments.map(({ waiting }) => waiting)),
    waitingAlive: sum(segments.map(({ isAlive, waiting }) => (isAlive ? waiting : 0))),
    files: segments.length,
    bytes: sum(segments.map(({ bytes }) => bytes)),
    damagedBytes: sum(segments.map(({ damagedBytes }) => damagedBytes)),
    foreign: segments.filter(({ isForeign }) => isForeign).length,
    oldestAt: times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other)),
  };
}
