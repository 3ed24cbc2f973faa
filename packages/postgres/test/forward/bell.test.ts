import { VirtualClock } from '@sluice/core/testing';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { Bell } from '../../src/forward/bell.ts';

it('a call waits for the one before: PostgreSQL may take long for it', async () => {
  const answers: (() => void)[] = [];
  // The cast is safe: nothing else of it is used.
  const database = {
    schema: 'sluice',
    run: () => new Promise<void>((resolve) => answers.push(resolve)),
  } as unknown as Database;
  const clock = new VirtualClock();
  const bell = new Bell(database, clock);
  for (let count = 0; count < 3; count += 1) {
    bell.ring();
    await clock.advance(1_000);
  }
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await clock.advance(1_000);
  expect(answers).toHaveLength(2);
  answers[1]?.();
  await clock.advance(1_000);
  expect(answers).toHaveLength(2);
  bell.stop();
});
