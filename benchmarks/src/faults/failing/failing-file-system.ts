import { type FileSystem, nodeFileSystem, type OpenFile } from '@sluice/core/file-journal';
import type { FailingDisk } from './failing-disk.ts';
import { FailingFile } from './failing-file.ts';
import type { Operation } from './failures.ts';

/** The disk of this machine, except for the operations that must fail. */
export function failingFileSystem(disk: FailingDisk): FileSystem {
  const open =
    (operation: 'create' | 'openToAppend' | 'openToRead') =>
    async (path: string): Promise<OpenFile> => {
      disk.check(operation, path);
      return new FailingFile(await nodeFileSystem[operation](path), path, disk);
    };
  return {
    create: open('create'),
    openToAppend: open('openToAppend'),
    openToRead: open('openToRead'),
    createSync: checkedSync(disk, 'createSync', nodeFileSystem.createSync),
    makeDirectory: checked(disk, 'makeDirectory', nodeFileSystem.makeDirectory),
    makeDirectorySync: checkedSync(disk, 'makeDirectorySync', nodeFileSystem.makeDirectorySync),
    list: checked(disk, 'list', (path) => nodeFileSystem.list(path)),
    sizeOf: checked(disk, 'sizeOf', nodeFileSystem.sizeOf),
    rename: checked(disk, 'rename', nodeFileSystem.rename),
    renameSync: checkedSync(disk, 'renameSync', nodeFileSystem.renameSync),
    remove: checked(disk, 'remove', nodeFileSystem.remove),
    removeDirectory: checked(disk, 'removeDirectory', nodeFileSystem.removeDirectory),
    syncDirectory: checked(disk, 'syncDirectory', nodeFileSystem.syncDirectory),
    volume: checked(disk, 'volume', nodeFileSystem.volume),
  };
}

function checked<Args extends [path: string, ...rest: unknown[]], Result>(
  disk: FailingDisk,
  operation: Operation,
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    disk.check(operation, args[0]);
    return run(...args);
  };
}

function checkedSync<Args extends [path: string, ...rest: unknown[]], Result>(
  disk: FailingDisk,
  operation: Operation,
  run: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    disk.check(operation, args[0]);
    return run(...args);
  };
}
