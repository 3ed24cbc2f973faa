const [QUOTE, NEWLINE] = [0x22, 0x0a];
const MOST_MIB = 1;
const MOST_CHARACTERS = MOST_MIB * 1024 * 1024;

/**
 * Passes the rows of a CSV file on, but not those that are too long: the parser would not find the next row behind them. Their line
 * ends take their place, so that all lines keep their numbers. A row that is too long ends with its line, as its quote may never be
 * closed.
 *
 * @param onTooLong Gets the line in which the row begins, the start of its text, and what is wrong.
 */
export async function* boundedRows(
  chunks: AsyncIterable<string>,
  delimiter: string,
  onTooLong: (line: number, text: string, problem: string) => void,
): AsyncGenerator<string> {
  const separator = delimiter.charCodeAt(0);
  let row = '';
  let [line, lineEnds] = [1, 0];
  let [isQuoted, isTooLong] = [false, false];
  // At the start of a field, and behind a quote: two of them are one that does not end the field.
  let mayOpen = true;
  for await (const chunk of chunks) {
    let start = 0;
    let whole = '';
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === QUOTE && (isQuoted || mayOpen)) {
        mayOpen = isQuoted;
        isQuoted = !isQuoted;
        continue;
      }
      mayOpen = code === separator || code === NEWLINE;
      if (code !== NEWLINE) continue;
      lineEnds += 1;
      if (isQuoted && !isTooLong) continue;
      whole += isTooLong ? '\n'.repeat(lineEnds) : row + chunk.slice(start, at + 1);
      start = at + 1;
      row = '';
      line += lineEnds;
      lineEnds = 0;
      [isQuoted, isTooLong] = [false, false];
    }
    if (!isTooLong) row += chunk.slice(start);
    if (row.length > MOST_CHARACTERS) {
      onTooLong(line, row, `it is longer than ${MOST_MIB} MiB, or a quote in it is never closed`);
      row = '';
      isTooLong = true;
    }
    if (whole !== '') yield whole;
  }
  yield row;
}
