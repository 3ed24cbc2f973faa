import type { Subject } from './subject.ts';

type Journal = 'default' | 'always' | 'memory';

export const byDefault: Subject = sluice('default journal', 'default', 'default options, journal on disk');
export const always: Subject = sluice("fsync: 'always'", 'always', 'the same, each write synced');
export const inMemory: Subject = sluice("journal: 'memory'", 'memory', 'no file');

function sluice(name: string, journal: Journal, configuration: string): Subject {
  return {
    name,
    configuration,
    load: async () => {
      const { openTracker } = await import('../processes/tracker.ts');
      return ({ baseUrl, journalDirectory }) => {
        const tracker = openTracker(baseUrl, journalDirectory, journal);
        return {
          track: ({ name, payload, correlationValue }) => tracker.track(name, payload, { correlationValue }),
          flush: () => tracker.flush({ timeoutMs: FLUSH_TIMEOUT_MS }),
          close: () => tracker.close(),
        };
      };
    },
  };
}

const FLUSH_TIMEOUT_MS = 120_000;
