import type { CustomerImport } from '../../../src/admin/audience-contract.ts';
import { formatCount, formatSome } from '../../parts/text/numbers.ts';
import { attributeText } from '../attribute-text.ts';

/** Shows what a CSV file contains, and what is wrong with it. */
export function ImportPreview({ preview }: { readonly preview: CustomerImport }) {
  const { columns, lines, added, replaced, sample, problems, problemCount } = preview;
  if (problemCount > 0) {
    return (
      <div class="stack" role="alert">
        <p class="problem">
          Nothing can be imported: {formatSome(problemCount, 'line is', 'lines are')} wrong. Correct the file,
          and choose it again.
        </p>
        <ol class="line-problems">
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              <span class="muted number">Line {formatCount(line)}</span>
              <span>{message}</span>
            </li>
          ))}
        </ol>
        {problemCount > problems.length && <p class="muted">These are the first {problems.length}.</p>}
      </div>
    );
  }
  if (lines === 0) return <p class="notice">The file has a first line, and no customers below it.</p>;
  return (
    <div class="stack" role="status">
      <p>
        <strong>{formatSome(lines, 'line')}</strong>: {formatSome(added, 'new customer')}
        {replaced > 0 && `, ${formatCount(replaced)} replaced`}. It begins with:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section class="scroll-x" tabIndex={0} aria-label="The first lines">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.map((customer, index) => (
              <tr key={index}>
                {columns.map((name) => (
                  <td key={name}>{attributeText(customer[name] ?? '')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
