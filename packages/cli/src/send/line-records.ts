import type { FileRecord } from './file-record.ts';
import { RecordText } from './record-text.ts';

/** NDJSON: the JSON of one record in each line. Empty lines are no records. */
export async function* lineRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const line = new RecordText();
  let number = 1;
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    line.add(first);
    for (const other of others) {
      const record = line.take(number);
      if (record !== undefined) yield record;
      number += 1;
      line.add(other);
    }
  }
  const record = line.take(number);
  if (record !== undefined) yield record;
}
