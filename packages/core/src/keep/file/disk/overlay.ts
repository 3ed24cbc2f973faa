/** The type of overlayfs in `statfs(2)`: the writable layer of a container. */
const OVERLAY = 0x794c7630;

/** A process is warned once. */
let isWarned = false;

/** Warns of a directory in the writable layer of a container, which ends with the container. @param type From `statfs(2)`. */
export function warnOfOverlay(path: string, type: number): void {
  if (isWarned || type !== OVERLAY) return;
  isWarned = true;
  const message = `${path} is in the container's own layer: what waits there is lost with the container. Mount a volume, and give its path as journalDirectory`;
  process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_OVERLAY' });
}
