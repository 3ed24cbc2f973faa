import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/faults/random.ts';
import { Agenda } from '../../src/faults/simulation/agenda.ts';
import { VirtualDisk } from '../../src/faults/simulation/virtual-disk.ts';

const bytes = (text: string) => Buffer.from(text);

/** The files that remain after a power cut, once for each of many seeds: `path: content`. */
function afterPowerCuts(prepare: (disk: VirtualDisk) => void): Set<string> {
  const found = new Set<string>();
  for (let seed = 0; seed < 200; seed += 1) {
    const disk = new VirtualDisk();
    disk.makeDirectory('/d');
    disk.syncAll();
    prepare(disk);
    disk.cutPower(createRandom(seed));
    const files = [...disk.files()].map((path) => `${path}: ${disk.open(path).bytes}`);
    found.add(files.join(', '));
  }
  return found;
}

describe('the disk', () => {
  it('keeps what was synced, file and name, over a power cut', () => {
    const left = afterPowerCuts((disk) => {
      const file = disk.create('/d/file');
      file.write(bytes('safe'), 0);
      file.beginSync().succeed();
      disk.directory('/d').beginSync()();
    });
    expect(left).toEqual(new Set(['/d/file: safe']));
  });

  it('keeps, loses or tears what was not synced', () => {
    const left = afterPowerCuts((disk) => {
      const file = disk.create('/d/file');
      disk.directory('/d').beginSync()();
      file.write(bytes('torn'), 0);
    });
    expect(left).toContain('/d/file: torn');
    expect(left).toContain('/d/file: ');
    expect(left).toContain('/d/file: to');
    expect(left).toContain('/d/file: \0\0\0\0');
  });

  it('keeps or loses a name that was not synced', () => {
    const left = afterPowerCuts((disk) => {
      const file = disk.create('/d/file');
      file.write(bytes('safe'), 0);
      file.beginSync().succeed();
    });
    expect(left).toEqual(new Set(['/d/file: safe', '']));
  });

  it('renames whole or not at all', () => {
    const left = afterPowerCuts((disk) => {
      disk.create('/d/old');
      disk.directory('/d').beginSync()();
      disk.rename('/d/old', '/d/new');
    });
    expect(left).toEqual(new Set(['/d/old: ', '/d/new: ']));
  });

  it('loses what a failed sync covered, though the next one says that all is well', () => {
    const left = afterPowerCuts((disk) => {
      const file = disk.create('/d/file');
      disk.directory('/d').beginSync()();
      file.write(bytes('lost'), 0);
      file.beginSync().fail();
      expect(file.bytes.toString()).toBe('lost');
      file.write(bytes('more'), 4);
      file.beginSync().succeed();
    });
    expect(left).toEqual(new Set(['/d/file: \0\0\0\0more']));
  });

  it('covers with a sync only what was written before it began', () => {
    const left = afterPowerCuts((disk) => {
      const file = disk.create('/d/file');
      disk.directory('/d').beginSync()();
      file.write(bytes('a'), 0);
      const { succeed } = file.beginSync();
      file.write(bytes('b'), 1);
      succeed();
    });
    expect(left).toContain('/d/file: a');
    expect(left).toContain('/d/file: ab');
  });
});

it('does what comes first first, and nothing that was called off', () => {
  const agenda = new Agenda(createRandom(1));
  const done: number[] = [];
  const random = createRandom(2);
  for (let number = 0; number < 100; number += 1) {
    const delay = random(50);
    const appointment = agenda.add(delay, () => done.push(delay));
    if (number % 3 === 0) appointment.cancel();
  }
  while (agenda.next());
  expect(done).toHaveLength(66);
  expect(done).toEqual([...done].sort((a, b) => a - b));
});
