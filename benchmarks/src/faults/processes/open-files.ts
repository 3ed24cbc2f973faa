import { readdirSync, readlinkSync } from 'node:fs';

const DESCRIPTORS = '/proc/self/fd';

/** The files below a directory that this process has open. Empty on systems other than Linux. */
export function openFilesBelow(directory: string): string[] {
  if (process.platform !== 'linux') return [];
  const paths = readdirSync(DESCRIPTORS).map((descriptor) => targetOf(`${DESCRIPTORS}/${descriptor}`));
  return paths.filter((path) => path.startsWith(directory));
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // The descriptor that listed the others is closed by now.
    return '';
  }
}
