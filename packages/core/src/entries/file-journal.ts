/** The file journal by itself, for Node: to use it with a file system of your own, or with one that fails on purpose. */

export type { FileSystem, OpenFile, SyncFile } from '../keep/file/disk/file-system.ts';
export { makeDirectory, nodeFileSystem } from '../keep/file/disk/node-file-system.ts';
export { FileJournal, type FileJournalOptions } from '../keep/file/file-journal.ts';
export type { Locks } from '../keep/file/slots/system-locks.ts';
export { stateDirectory } from '../platform/process/journal-path.ts';
