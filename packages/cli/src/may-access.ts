import { access } from 'node:fs/promises';

/** Whether this user may use a file or a directory so. @param mode As that of `access()` of Node. */
export function mayAccess(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
