/** The file journal by itself, for Node: to keep it on a disk of your own, or to break that on purpose. */
export { FileJournal, type FileJournalOptions } from './journals/file/file-journal.ts';
export type {
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  SyncFile,
  Volume,
} from './journals/file/file-system.ts';
export type { HeldLock, Locks } from './journals/file/locks.ts';
export { nodeFileSystem } from './journals/file/node-file-system.ts';
