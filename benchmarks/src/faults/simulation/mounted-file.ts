import type { OpenFile, SyncFile } from '@sluice/core/file-journal';
import type { Random } from '../random.ts';
import type { Call, DiskCalls } from './disk-calls.ts';
import { DiskError } from './disk-error.ts';
import type { DiskWeather } from './disk-weather.ts';
import type { StoredFile } from './stored-file.ts';
import type { VirtualDisk } from './virtual-disk.ts';

interface Mount {
  readonly disk: VirtualDisk;
  readonly calls: DiskCalls;
  readonly weather: DiskWeather;
  readonly random: Random;
}

/** An open file of a process. */
export class MountedFile implements OpenFile, SyncFile {
  readonly #mount: Mount;
  readonly #file: StoredFile;
  readonly #path: string;
  readonly #appends: boolean;
  #isClosed = false;

  constructor(mount: Mount, file: StoredFile, path: string, appends: boolean) {
    this.#mount = mount;
    this.#file = file;
    this.#path = path;
    this.#appends = appends;
  }

  write(bytes: Uint8Array, position: number): Promise<number> {
    return this.#make(this.#writing(bytes, position));
  }

  writeSync(bytes: Uint8Array, position: number): number {
    return this.#mount.calls.makeNow(this.#writing(bytes, position));
  }

  read(target: Uint8Array, position: number): Promise<number> {
    const [file, path] = [this.#file, this.#path];
    const perform = () => {
      const found = file.bytes.subarray(position, position + target.length);
      target.set(found);
      return found.length;
    };
    return this.#make({ kind: 'look', what: `read ${path} at ${position}`, perform });
  }

  sync(): Promise<void> {
    return this.#make(this.#syncing());
  }

  syncSync(): void {
    this.#mount.calls.makeNow(this.#syncing());
  }

  truncate(size: number): Promise<void> {
    const [file, path] = [this.#file, this.#path];
    const perform = () => file.truncate(size);
    return this.#make({ kind: 'change', what: `truncate ${path} to ${size}`, perform });
  }

  stat(): ReturnType<OpenFile['stat']> {
    const [file, path] = [this.#file, this.#path];
    const perform = () => ({ size: file.size, isInPlace: file.links > 0 });
    return this.#make({ kind: 'look', what: `stat ${path}`, perform });
  }

  close(): Promise<void> {
    const close = () => {
      this.#isClosed = true;
    };
    return this.#make({ kind: 'close', what: `close ${this.#path}`, perform: close, fail: close });
  }

  closeSync(): void {
    this.#isClosed = true;
  }

  #make<Result>(call: Call<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new DiskError('EBADF', call.what));
    return this.#mount.calls.make(call);
  }

  #writing(bytes: Uint8Array, position: number): Call<number> {
    const { disk, weather, random } = this.#mount;
    const [file, path, appends] = [this.#file, this.#path, this.#appends];
    const write = (length: number) => {
      file.write(bytes.subarray(0, length), appends ? file.size : position);
      return length;
    };
    return {
      kind: 'write',
      what: `write ${bytes.length} bytes to ${path} at ${appends ? 'its end' : position}`,
      perform: () => {
        const length = Math.min(disk.freeBytes, weather.shorten(bytes.length));
        if (length > 0 || bytes.length === 0) return write(length);
        weather.faults += 1;
        throw new DiskError('ENOSPC', `write '${path}'`);
      },
      performPart: () => void write(random(bytes.length + 1)),
    };
  }

  #syncing(): Call<void> {
    const [file, path] = [this.#file, this.#path];
    const { succeed, fail } = file.beginSync();
    return { kind: 'sync', what: `sync ${path}`, perform: succeed, fail };
  }
}
