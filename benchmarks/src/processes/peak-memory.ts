import { readFileSync } from 'node:fs';

const KIB = 1024;
const PEAK = /^VmHWM:\s+(\d+) kB$/m;

/** The peak memory of this process, in bytes. */
export function peakMemoryBytes(): number {
  // On Linux, maxRSS includes the memory of the parent before exec. The status file does not.
  const kib =
    process.platform === 'linux'
      ? Number(PEAK.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
      : process.resourceUsage().maxRSS;
  return kib * KIB;
}
