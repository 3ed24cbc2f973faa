import { readFileSync } from 'node:fs';

const KIB = 1024;
const PEAK = /^VmHWM:\s+(\d+) kB$/m;

/** The most memory that this process ever held, in bytes. */
export function peakMemoryBytes(): number {
  // Linux counts into maxRSS what the parent held before exec; the status file does not.
  const kib =
    process.platform === 'linux'
      ? Number(PEAK.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
      : process.resourceUsage().maxRSS;
  return kib * KIB;
}
