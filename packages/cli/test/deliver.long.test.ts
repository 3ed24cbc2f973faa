import { createTracker, type Journal } from '@sluice/core';
import { expect, it } from 'vitest';
import { deliver } from '../src/delivery/deliver.ts';
import { makeFolder, startService } from './folder.ts';

const EVENT =
  '{"event":"login","correlationKey":"email","correlationValue":"ada@example.com","source":"custom"}';

/** A journal that has one event of a previous process. It is read only once `opened` resolves. */
function slowJournal(opened: Promise<void>): Journal {
  const range = { segment: 1, from: 0, to: 1 };
  const bytes = new TextEncoder().encode(EVENT);
  return {
    kind: 'slow',
    survives: true,
    bytes: bytes.length,
    groupLimit: { maxEvents: 1, maxBytes: bytes.length },
    async open(observer) {
      await opened;
      observer.recovered(range);
    },
    append: async () => range,
    read: async () => ({ events: { bytes, ends: Uint32Array.of(bytes.length) }, range }),
    acknowledge: async () => {},
    sync: async () => {},
    close: async () => {},
  };
}

it('waits for a journal that takes longer to read than one flush', async () => {
  const { emulator } = await startService();
  const { apiKey, baseUrl } = emulator;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const journal = slowJournal(opened);
  const tracker = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal, logger: false });
  const flush: typeof tracker.flush = async (options) => {
    const report = await tracker.flush(options);
    open();
    return report;
  };
  const { delivered, left } = await deliver(
    { ...tracker, flush },
    makeFolder(),
    new AbortController().signal,
  );
  expect({ delivered, left }).toEqual({ delivered: 1, left: 0 });
});
