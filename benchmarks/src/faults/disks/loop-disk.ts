import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { Mount } from './mount.ts';
import { runProgram } from './run-program.ts';

/** The ioctl `_IOR('X', 125, u32)`, for which Node has no function. Data that is not on the disk by then never gets there. */
const SHUT_DOWN = `
  open(my $directory, '<', $ARGV[0]) or die "cannot open $ARGV[0]: $!";
  my $no_log_flush = pack('L', 2);
  ioctl($directory, 0x8004587d, $no_log_flush) or die "cannot shut down $ARGV[0]: $!";
`;
/** `mkfs` writes everything at once, so that no work is left for the background. */
const EXTENDED_OPTIONS = 'lazy_itable_init=0,lazy_journal_init=0';

/** A small ext4 file system in a file, on a loop device. Its power can be cut. */
export class LoopDisk implements Disposable {
  readonly #mount: Mount;

  /** @param path The mount point. The image lies beside it. */
  constructor(path: string, bytes: number) {
    const image = `${path}.img`;
    const file = openSync(image, 'w');
    ftruncateSync(file, bytes);
    closeSync(file);
    runProgram('mkfs.ext4', '-q', '-F', '-E', EXTENDED_OPTIONS, image);
    this.#mount = new Mount(path, '-o', 'loop', image);
  }

  get path(): string {
    return this.#mount.path;
  }

  /** From now on nothing reaches the disk, and every attempt fails with an error. */
  cutPower(): void {
    runProgram('perl', '-e', SHUT_DOWN, this.path);
  }

  /** Mounts it again, as after a restart of the machine. No process may use it any more. */
  restart(): void {
    this.#mount.remount();
  }

  [Symbol.dispose](): void {
    this.#mount[Symbol.dispose]();
  }
}
