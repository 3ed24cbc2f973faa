import { useMemo, useState } from 'preact/hooks';
import { type JsonLine, jsonLines } from './json-text.ts';
import { formatCount } from './text.tsx';

const LINES_AT_ONCE = 500;
const DEEPEST_INDENT = 30;

/**
 * Shows a JSON text, indented, with a colour for each kind of value. Numbers are exactly as in the text. Long texts come in
 * parts.
 */
export function JsonView({ text }: { readonly text: string }) {
  const [most, setMost] = useState(LINES_AT_ONCE);
  const [lines, hasMore] = useMemo(() => {
    const all = jsonLines(text);
    const first: JsonLine[] = [];
    let line = all.next();
    for (; !line.done && first.length < most; line = all.next()) first.push(line.value);
    return [first, !line.done] as const;
  }, [text, most]);
  return (
    <div class="json">
      <pre>
        <code>
          {lines.map(({ depth, tokens }, at) => {
            const indent = 2 * Math.min(depth, DEEPEST_INDENT);
            return (
              <span key={at} class="json-line" style={{ '--indent': `${indent + 4}ch` }}>
                {' '.repeat(indent)}
                {tokens.map(({ kind, text }, index) => (
                  <span key={index} style={{ color: `var(--json-${kind})` }}>
                    {text}
                  </span>
                ))}
              </span>
            );
          })}
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
