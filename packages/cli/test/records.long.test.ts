import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { csvRecords } from '../src/send/csv-records.ts';
import type { FileRecord } from '../src/send/file-record.ts';
import { arrayRecords } from '../src/send/json-array.ts';
import { lineRecords } from '../src/send/line-records.ts';
import { RecordFile } from '../src/send/record-file.ts';
import { makeFolder } from './folder.ts';

const MIB = 1024 * 1024;

/** A text in chunks, as a file is read. */
async function* chunksOf(
  ...parts: readonly (string | readonly [text: string, times: number])[]
): AsyncGenerator<string> {
  for (const part of parts) {
    const [text, times] = typeof part === 'string' ? [part, 1] : part;
    for (let time = 0; time < times; time += 1) yield text;
  }
}

async function read(records: AsyncIterable<FileRecord>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const { number, value, problem } of records) read.push([number, problem ?? value]);
  return read;
}

describe('the records of a file', () => {
  it('are not there if the file is gone', async () => {
    const gone = new RecordFile('/nowhere', undefined, 0);
    await setImmediate();
    await expect(read(gone)).rejects.toThrow('ENOENT');
  });

  it('are as many as its lines, and one that is too long for the memory is one bad record', async () => {
    const long = ['x'.repeat(MIB), 600] as const;
    expect(await read(lineRecords(chunksOf('1\n\n"a', 'b"\n', long, '\n3')))).toEqual([
      [1, 1],
      [3, 'ab'],
      [4, 'it is longer than 16 MiB'],
      [5, 3],
    ]);
  });

  it('are the elements of an array, of which one may be too long, too, and so may what follows the array', async () => {
    const long = ['x'.repeat(MIB), 600] as const;
    expect(await read(arrayRecords(chunksOf('[{"a":"],"}', ',"', long, '",3]', long)))).toEqual([
      [1, { a: '],' }],
      [2, 'it is longer than 16 MiB'],
      [3, 3],
      [4, 'something follows the end of the array'],
    ]);
  });

  it('are none where something else comes before an array, or in its place', async () => {
    for (const chunks of [['{"a":', '1}'], [' x', '[1]'], ['\n', ' "[" [1]'], ['']])
      expect(await read(arrayRecords(chunksOf(...chunks)))).toEqual([
        [1, 'it is no array: it must begin with ['],
      ]);
    expect(await read(arrayRecords(chunksOf(' ', '\n[', ' 1 ] ')))).toEqual([[1, 1]]);
  });

  it('are the rows of a table, also those behind one that is too long or has a quote that is never closed', async () => {
    const tooLong = 'it is longer than 1 MiB, or a quote in it is never closed';
    const long = ['x'.repeat(MIB / 4), 20] as const;
    const csv = chunksOf(
      'a,b\n1,"2',
      ' ""two""\n2"\n',
      '3,',
      long,
      '\n4,"',
      long,
      '"\n5,6\n7,"',
      long,
      '\n8,9\n',
    );
    expect(await read(csvRecords(csv, undefined))).toEqual([
      [3, { a: '1', b: '2 "two"\n2' }],
      [4, tooLong],
      [5, tooLong],
      [6, { a: '5', b: '6' }],
      [7, tooLong],
      [8, { a: '8', b: '9' }],
    ]);
  });

  it('are the same rows whatever ends their lines, also behind one that is too long', async () => {
    const tooLong = 'it is longer than 1 MiB, or a quote in it is never closed';
    const long = 'x'.repeat(2 * MIB);
    expect(await read(csvRecords(chunksOf('a,b\r\n1,2\r\n', long, '\r\n3,4\r\n'), undefined))).toEqual([
      [2, { a: '1', b: '2' }],
      [3, tooLong],
      [4, { a: '3', b: '4' }],
    ]);
    const rows = [
      [2, { a: '1', b: '2' }],
      [3, { a: '3', b: '4' }],
    ];
    for (const text of ['a,b\n1,2\r\n3,4\r\n', 'a,b\r\n1,2\n3,4\n', 'a,b\r1,2\r3,4\r'])
      expect(await read(csvRecords(chunksOf(text), undefined)), JSON.stringify(text)).toEqual(rows);
  });

  it('are divided where the names are, also if these come in pieces, later, or in quotes', async () => {
    const row = { a: '1', 'b;c;d': '2' };
    expect(await read(csvRecords(chunksOf('\na', ',"b;c', ';d"\n1,2'), undefined))).toEqual([[3, row]]);
    expect(await read(csvRecords(chunksOf('a', ';b\r', '\n1;2\r\n'), undefined))).toEqual([
      [2, { a: '1', b: '2' }],
    ]);
    expect(await read(csvRecords(chunksOf('a'), undefined))).toEqual([]);
  });

  it('are none if two columns have the same name: the values of one would be lost', async () => {
    await expect(read(csvRecords(chunksOf('a,b,a\n1,2,3\n'), undefined))).rejects.toThrow(
      'two columns are named "a": rename one of them',
    );
    expect(await read(csvRecords(chunksOf('a,,\n1,,\n'), undefined))).toEqual([[2, { a: '1', '': '' }]]);
  });

  it('are bad ones where the file is not UTF-8', async () => {
    const path = join(makeFolder(), 'users.csv');
    const readFile = () => read(new RecordFile(path, undefined, 0));
    const notUtf8 = 'it is not UTF-8: convert the file, such as with iconv';
    await writeFile(path, Buffer.from('name,plan\nAndr\xe9,free\nBob,free\n', 'latin1'));
    expect(await readFile()).toEqual([
      [2, notUtf8],
      [3, { name: 'Bob', plan: 'free' }],
    ]);
    await writeFile(path, Buffer.concat([Buffer.from('name\nAda\nAndr'), Buffer.of(0xc3)]));
    expect(await readFile()).toEqual([
      [2, { name: 'Ada' }],
      [3, notUtf8],
    ]);
    await writeFile(path, `\uFEFFname\n${'é'.repeat(100_001)}\n\uFFFD\n`);
    expect(await readFile()).toEqual([
      [2, { name: 'é'.repeat(100_001) }],
      [3, { name: '\uFFFD' }],
    ]);
  });
});
