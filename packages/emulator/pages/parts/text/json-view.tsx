import { useMemo, useState } from 'preact/hooks';
import { type JsonLine, jsonLines } from './json-text.ts';
import { formatCount } from './numbers.ts';

const LINES_AT_ONCE = 500;
const DEEPEST_INDENT = 30;

/**
 * Shows a JSON text, indented, with a colour for each kind of value. Numbers are exactly as in the text. Long texts come in
 * parts.
 */
export function JsonView({ text }: { readonly text: string }) {
  const [most, setMost] = useState(LINES_AT_ONCE);
  const { lines, hasMore } = useMemo(() => firstLines(text, most), [text, most]);
  return (
    <div class="json">
      <pre>
        <code>
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </code>
      </pre>
      {hasMore && (
        <button type="button" onClick={() => setMost(most * 4)}>
          {`Show more than ${formatCount(most)} lines`}
        </button>
      )}
    </div>
  );
}

function Line({ line: { depth, tokens } }: { readonly line: JsonLine }) {
  const indent = 2 * Math.min(depth, DEEPEST_INDENT);
  return (
    <span class="json-line" style={{ '--indent': `${indent + 4}ch` }}>
      {' '.repeat(indent)}
      {tokens.map(({ kind, text }, index) => (
        <span key={index} class={`json-${kind}`}>
          {text}
        </span>
      ))}
    </span>
  );
}

function firstLines(text: string, most: number): { lines: JsonLine[]; hasMore: boolean } {
  const lines: JsonLine[] = [];
  for (const line of jsonLines(text)) {
    if (lines.length === most) return { lines, hasMore: true };
    lines.push(line);
  }
  return { lines, hasMore: false };
}
