import { describe, expect, it } from 'vitest';
import { csvRecords } from '../src/send/csv-records.ts';

interface Read {
  /** The lines of the records, good and bad. */
  readonly lines: number[];
  readonly values: unknown[];
  readonly problems: string[];
  /** Those of the bad ones. */
  readonly texts: (string | undefined)[];
}

async function read(text: string, piece = text.length): Promise<Read> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += piece) yield text.slice(at, at + piece);
  }
  const found: Read = { lines: [], values: [], problems: [], texts: [] };
  for await (const { number, value, problem, text: record } of csvRecords(chunks(), undefined)) {
    found.lines.push(number);
    if (problem === undefined) found.values.push(value);
    else {
      found.problems.push(problem);
      found.texts.push(record);
    }
  }
  return found;
}

const AFTER_QUOTE = 'something follows a closing quote: two quotes are one inside a value';

describe('the rows of a CSV file', () => {
  it('come all behind one in which something follows a closing quote', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `u${index},x`);
    const { lines, values, problems } = await read(['id,note', '"best" one,x', ...rows].join('\n'));
    expect(problems).toEqual([AFTER_QUOTE]);
    expect(values).toHaveLength(1_000);
    expect(lines.at(-1)).toBe(1_002);
  });

  it('come all from an old file whose lines end with a carriage return, however long that is', async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `u${index},${'x'.repeat(1_000)}`);
    expect((await read(['id,note', ...rows].join('\r'))).values).toHaveLength(2_000);
  });

  it.each(['"id" ,note', '\n\n"id" ,note'])(
    'are not named by the first one where the line of names is bad: %j',
    async (names) => {
      await expect(read(`${names}\na,b\nc,d\n`)).rejects.toThrow(
        'the line of names cannot be read: something follows',
      );
    },
  );

  it('are named by the first line that is not blank', async () => {
    for (const lineEnd of ['\n', '\r\n', '\r'])
      expect(await read([' \t', '', '  ', '\tid,note', 'a,b'].join(lineEnd))).toMatchObject({
        ...{ lines: [5], values: [{ '\tid': 'a', note: 'b' }] },
      });
  });

  it('tell what is wrong also with the last one', async () => {
    expect((await read('id,note\na,b\n"c" d,e')).problems).toEqual([AFTER_QUOTE]);
    expect((await read('id,note\r\n"a","b"\r\n')).values).toEqual([{ id: 'a', note: 'b' }]);
  });

  it('keep their text where they are bad', async () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const rows = ['id,note', '', 'x', 'y,1', '"z",1,"a""b"', '"c" d,e', '"not closed'];
      const { texts } = await read(rows.join(lineEnd));
      expect(texts).toEqual(['x', '"z",1,"a""b"', '"c" d,e', '"not closed']);
    }
  });

  it('may have quotes inside a value that does not begin with one', async () => {
    const { lines, values, problems } = await read('id,note\na,the "big" one\nb,5" x 6" y "7"\nc,d');
    expect(problems).toEqual([]);
    expect(values).toEqual([
      { id: 'a', note: 'the "big" one' },
      { id: 'b', note: '5" x 6" y "7"' },
      { id: 'c', note: 'd' },
    ]);
    expect(lines).toEqual([2, 3, 4]);
  });

  it('have the numbers of their lines, also where values have lines of their own', async () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const rows = [
        'id,note',
        'a,"1',
        '2',
        '3"',
        'b',
        'c,d',
        '"e" x,f',
        '"g',
        '",h',
        '"i","',
        '',
        'j"',
        'k,l',
      ];
      const { lines, values } = await read(rows.join(lineEnd));
      expect(lines).toEqual([4, 5, 6, 7, 9, 12, 13]);
      expect(values).toHaveLength(5);
    }
  });

  it('have the numbers of their lines, also where columns have no name', async () => {
    const { lines } = await read(['id,,', 'a,"1', '2",', 'b,"1', '2","1', '2"', 'c,,'].join('\r\n'));
    expect(lines).toEqual([3, 6, 7]);
  });

  const good = ['r,1,2', '"r","a,b","c""d"', 'r,"x\ny",2', 'r,,', 'r,"",""'];

  it.each(['a,b', '"x"y,1,2', '"x",1,2,3', '"a""b"c,1,2', '""x"",1,2'])(
    'come all, in order and in pieces of any size, around the bad row %s',
    async (bad) => {
      for (const lineEnd of ['\n', '\r\n'])
        for (let piece = 1; piece < 12; piece += 1) {
          const text = ['id,b,c', ...good, bad, ...good].join(lineEnd);
          const { lines, values, problems } = await read(text, piece);
          expect(values).toHaveLength(2 * good.length);
          expect(problems).toHaveLength(1);
          expect(lines).toEqual([...lines].sort((one, other) => one - other));
        }
    },
  );
});
