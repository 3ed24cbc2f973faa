import type { DeliveryPolicy, TrackerOptions } from '@sluice/core';
import type { FileJournalOptions } from '@sluice/core/file-journal';
import type { Random } from '../random.ts';

export const JOURNAL_DIRECTORY = '/state/journal';

/** The options of a tracker and its journal. */
export interface Settings {
  readonly tracker: Omit<TrackerOptions, 'journal' | 'clock' | 'transport'>;
  /** Whether some of its events have high priority. */
  readonly hasPriorities: boolean;
  readonly journal: Omit<FileJournalOptions, 'clock'>;
  /** Limit of the padding of an event, in bytes. */
  readonly mostPadding: number;
}

/** Limits so small that a few dozen events fill several segments, the memory and the storage. */
export function drawSettings(random: Random, hasBudget: boolean): Settings {
  const pick = <Value>(...values: readonly [Value, ...Value[]]): Value =>
    values[random(values.length)] ?? values[0];
  const fsync = pick('always', 'interval', 'interval', 'never');
  return {
    tracker: {
      ...common(random),
      fsync,
      commitIntervalMs: pick(0, 1, 10),
      buffer: { maxEvents: pick(4, 16, 1024), maxBytes: hasBudget ? 32_768 : pick(1024, 4096, 16_384) },
      batch: { maxEvents: 2 + random(7), maxBytes: pick(500, 4096), maxWaitMs: pick(0, 20, 1_000) },
      delivery: {
        maxConcurrency: 1 + random(4),
        timeoutMs: pick(100, 1_000, 30_000),
        retryBaseMs: pick(10, 500),
        retryMaxMs: pick(500, 5_000),
        policy: pick<DeliveryPolicy>({}, {}, {}, { '409': 'accept' }, { '422': 'drop' }, { '5xx': 'drop' }),
      },
      ordering: pick('unordered', 'per-customer', 'strict'),
      ...(hasBudget && {
        storage: {
          maxBytes: pick(65_536, 100_000),
          whenFull: pick('drop-oldest', 'drop-newest'),
          ...(random(3) === 0 && { maxAgeMs: pick(100, 2_000, 60_000) }),
        },
      }),
    },
    journal: { directory: JOURNAL_DIRECTORY, fsync, segmentBytes: pick(200, 800, 3_000) },
    hasPriorities: random(3) === 0,
    // Large padding: without it, even the smallest budget would hold many events.
    mostPadding: hasBudget ? 8_000 : pick(20, 400),
  };
}

/** For the last life, which must deliver all remaining events. */
export function patientSettings(random: Random): Settings {
  return {
    tracker: { ...common(random), batch: { maxEvents: 8 }, buffer: { maxBytes: 32_768 } },
    journal: { directory: JOURNAL_DIRECTORY, fsync: 'interval' },
    hasPriorities: false,
    mostPadding: 0,
  };
}

function common(random: Random) {
  return {
    baseUrl: 'http://service.test',
    apiKey: 'key-of-before',
    correlationKey: 'email',
    random: () => random(2 ** 30) / 2 ** 30,
  };
}
