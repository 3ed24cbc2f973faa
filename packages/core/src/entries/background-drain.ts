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
import { type Drain, drainInRounds } from '../platform/process/drain-in-background.ts';
import { LONG_MS } from '../platform/process/rest.ts';

/** It may wait at first, after processes that saw no answer. */
const TIMEOUT_MS = LONG_MS + 30_000;

const LOCK = /^(drain-[0-9]{15}-[0-9a-f]{16})\.lock$/;

const { options, directory } = deserialize(Buffer.from(await text(process.stdin), 'base64')) as Drain;
const name = `drain-${String(Date.now()).padStart(15, '0')}-${randomBytes(8).toString('hex')}`;
/** Each tool that ends starts a process that visits this one. */
let hasVisit = false;
const lock = await systemLocks.hold(directory, name, () => {
  hasVisit = true;
});
try {
  await drainInRounds({ isFirst, wait: setTimeout, isVisited, drain });
} finally {
  await lock.release();
}

function isVisited(): boolean {
  const wasVisited = hasVisit;
  hasVisit = false;
  return wasVisited;
}

async function isFirst(): Promise<boolean> {
  for (const entry of await readdir(directory)) {
    const [, other] = LOCK.exec(entry) ?? [];
    if (other === undefined || other >= name) continue;
    if (await systemLocks.isHeld(directory, other)) return false;
    await systemLocks.discard(directory, other, 0);
  }
  return true;
}

async function drain(): Promise<boolean> {
  const tracker = createTracker({ ...options, journalDirectory: directory });
  await tracker.flush({ timeoutMs: TIMEOUT_MS });
  const { pending } = await tracker.close({ timeoutMs: 0 });
  return tracker.stats().recovered > 0 && pending === 0;
}
