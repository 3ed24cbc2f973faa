import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A directory for journals, below the system's temporary one (TMPDIR chooses the disk). Removed when this process ends. */
export function makeScratchDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-benchmarks-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  // Without this, a signal would end the process without an `exit` event.
  for (const [name, number] of Object.entries(SIGNALS)) process.once(name, () => process.exit(128 + number));
  return path;
}
