import { type FileRecord, readJson } from './file-record.ts';

/** NDJSON: the JSON of one record in each line. Empty lines are no records. */
export async function* lineRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let number = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number += 1;
      if (line.trim() !== '') yield readJson(line, number);
    }
  }
  if (rest.trim() !== '') yield readJson(rest, number + 1);
}
