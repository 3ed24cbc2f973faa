import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy.tsx';
import { type JsonLine, jsonLines } from './json-text.ts';
import { formatCount } from './text.tsx';

const LINES_AT_ONCE = 500;
const DEEPEST_INDENT = 30;

/**
 * Shows a text, to copy. JSON is indented, with a colour for each kind of value; numbers are exactly as in the text. Long texts come in
 * parts.
 */
export function JsonView({ title, text }: { readonly title: string; readonly text: string }) {
  const [most, setMost] = useState(LINES_AT_ONCE);
  const lines = useMemo(() => {
    const first: JsonLine[] = [];
    try {
      JSON.parse(text);
      for (const line of jsonLines(text)) if (first.push(line) > most) break;
    } catch {
      return undefined;
    }
    return first;
  }, [text, most]);
  return (
    <section class="stack" aria-label={title}>
      <div class="row">
        <h3 class="grow">{title}</h3>
        <CopyButton text={text} label={`Copy: ${title}`} />
      </div>
      <pre class="json">
        <code>
          {lines?.slice(0, most).map(({ depth, tokens }, at) => {
            const indent = 2 * Math.min(depth, DEEPEST_INDENT);
            return (
              <span key={at} class="json-line" style={{ '--indent': `${indent + 4}ch` }}>
                {' '.repeat(indent)}
                {tokens.map(({ kind, text }, index) => (
                  <bdi key={index} style={{ color: `var(--json-${kind})` }}>
                    {text}
                  </bdi>
                ))}
              </span>
            );
          }) ?? text}
        </code>
      </pre>
      {lines !== undefined && lines.length > most && (
        <button type="button" onClick={() => setMost(most * 4)}>
          {`Show more than ${formatCount(most)} lines`}
        </button>
      )}
    </section>
  );
}
