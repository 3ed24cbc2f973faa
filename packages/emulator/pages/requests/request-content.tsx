import type { RequestContent } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/dialogs/copy-button.tsx';
import { JsonView } from '../parts/text/json-view.tsx';
import { escapeUnseen } from '../parts/text/shown-text.ts';

type Message = Pick<RequestContent, 'headers' | 'body' | 'isCut'>;

/** What was sent and what was answered: headers and bodies. */
export function Content({ content }: { readonly content: RequestContent | null }) {
  if (content === null) {
    return (
      <p class="muted">Its content is no longer kept: the emulator keeps that of the latest requests.</p>
    );
  }
  return (
    <>
      <MessageSection title="Sent" message={content} />
      {content.answer && <MessageSection title="Answered" message={content.answer} />}
    </>
  );
}

function MessageSection({ title, message }: { readonly title: string; readonly message: Message }) {
  const { headers, body, isCut } = message;
  return (
    <section class="panel-section" aria-label={title}>
      <div class="section-head">
        <h3>{title}</h3>
        {body !== '' && <CopyButton text={body} label={`Copy the body: ${title}`} />}
      </div>
      <details>
        <summary>{`${headers.length} headers`}</summary>
        <dl class="facts mono">
          {headers.map(([name, value], index) => (
            <div key={index} class="fact">
              <dt>{name}</dt>
              <dd>{escapeUnseen(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
      {body === '' ? <p class="muted">No body.</p> : <Body text={body} />}
      {isCut && <p class="muted">This is the first part of the body. The rest was not kept.</p>}
    </section>
  );
}

function Body({ text }: { readonly text: string }) {
  if (isJson(text)) return <JsonView text={text} />;
  return (
    <div class="json">
      <pre>
        <code class="raw">{text}</code>
      </pre>
    </div>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
