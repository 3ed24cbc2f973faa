/*
 * The process that `tracker.drainInBackground()` starts. It reads its task from its standard input, which ends with the process that
 * started it.
 */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { createTracker } from '../index.ts';
import { systemLocks } from '../keep/file/slots/system-locks.ts';
import type { Drain } from '../platform/process/drain-in-background.ts';

/** Waits before each look, in milliseconds: each is twice as long, so that many short processes need few requests. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 8_000;
const TIMEOUT_MS = 60_000;

const LOCK = /^(drain-[0-9]{15}-[0-9a-f]{16})\.lock$/;

const { options, directory } = deserialize(Buffer.from(await text(process.stdin), 'base64')) as Drain;
const name = `drain-${String(Date.now()).padStart(15, '0')}-${randomBytes(8).toString('hex')}`;
const lock = await systemLocks.hold(directory, name, () => {});
try {
  for (let waitMs = FIRST_WAIT_MS; await isFirst(); waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs)) {
    await setTimeout(waitMs);
    if (!(await drain())) break;
  }
} finally {
  await lock.release();
}

/** Whether no process drains the directory that started earlier. */
async function isFirst(): Promise<boolean> {
  for (const entry of await readdir(directory)) {
    const [, other] = LOCK.exec(entry) ?? [];
    if (other === undefined || other >= name) continue;
    if (await systemLocks.isHeld(directory, other)) return false;
    await systemLocks.discard(directory, other, 0);
  }
  return true;
}

/** Delivers what processes left that are gone. Returns false if there is nothing more, or if it cannot be delivered now. */
async function drain(): Promise<boolean> {
  const tracker = createTracker({ ...options, journalDirectory: directory });
  await tracker.flush({ timeoutMs: TIMEOUT_MS });
  const { pending } = await tracker.close({ timeoutMs: 0 });
  return tracker.stats().recovered > 0 && pending === 0;
}
