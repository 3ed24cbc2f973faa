const [QUOTE, RETURN] = [0x22, 0x0d];
const MOST_MIB = 1;
const MOST_CHARACTERS = MOST_MIB * 1024 * 1024;
const TOO_LONG = `it is longer than ${MOST_MIB} MiB, or a quote in it is never closed`;
const AFTER_QUOTE = 'something follows a closing quote: two quotes are one inside a value';

/**
 * Where a character of a row stands. `start`: a quote there begins a value. `closed`: behind a quote that ended its value, unless
 * another one follows. `return`: behind a carriage return after that. `bad`: something else followed.
 */
type Place = 'start' | 'plain' | 'quoted' | 'closed' | 'return' | 'bad';

/**
 * Passes the rows of a CSV file on, but not those that are too long, or in which something follows a closing quote: the parser would
 * not find the next row behind them. Their line ends take their place, so that all lines keep their numbers. Such a row ends with its
 * line, as its quote may never be closed.
 *
 * @param lineEnd The last character of each line.
 * @param onBad Gets the line in which the row begins, the start of its text, and what is wrong.
 */
export async function* boundedRows(
  chunks: AsyncIterable<string>,
  delimiter: string,
  lineEnd: '\n' | '\r',
  onBad: (line: number, text: string, problem: string) => void,
): AsyncGenerator<string> {
  const [separator, end] = [delimiter.charCodeAt(0), lineEnd.charCodeAt(0)];
  let place: Place = 'start';
  let row = '';
  let [line, lineEnds] = [1, 0];
  /** The rest of the row is not kept. */
  let isTold = false;
  const tell = (text: string, problem: string) => {
    if (!isTold) onBad(line, text, problem);
    isTold = true;
    row = '';
    place = 'bad';
  };
  for await (const chunk of chunks) {
    let start = 0;
    let whole = '';
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === end) lineEnds += 1;
      if (code !== end || place === 'quoted') {
        place = placeAfter(place, code, separator);
        continue;
      }
      const text = row + chunk.slice(start, at + 1);
      if (place === 'bad') {
        tell(text.slice(0, -1), AFTER_QUOTE);
        whole += lineEnd.repeat(lineEnds);
      } else whole += text;
      start = at + 1;
      line += lineEnds;
      [place, row, lineEnds, isTold] = ['start', '', 0, false];
    }
    if (!isTold) row += chunk.slice(start);
    if (row.length > MOST_CHARACTERS) tell(row, place === 'bad' ? AFTER_QUOTE : TOO_LONG);
    if (whole !== '') yield whole;
  }
  if (place === 'bad') tell(row, AFTER_QUOTE);
  else yield row;
}

/** For each character but the end of a row. */
function placeAfter(place: Place, code: number, separator: number): Place {
  switch (place) {
    case 'bad':
    case 'return':
      return 'bad';
    case 'quoted':
      return code === QUOTE ? 'closed' : place;
    case 'closed':
      if (code === QUOTE) return 'quoted';
      if (code === RETURN) return 'return';
      return code === separator ? 'start' : 'bad';
    default:
      if (code === separator) return 'start';
      return code === QUOTE && place === 'start' ? 'quoted' : 'plain';
  }
}
