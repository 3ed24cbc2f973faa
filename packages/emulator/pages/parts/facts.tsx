import type { ComponentChildren } from 'preact';

interface FactsProps {
  /** Names and their values. What has no value is left out. */
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
  readonly class?: string;
}

/** Names and their values. */
export function Facts({ of, class: extra = '' }: FactsProps) {
  return (
    <dl class={`facts ${extra}`}>
      {of.map(
        ([name, value], index) =>
          Boolean(value) && [<dt key={`name ${index}`}>{name}</dt>, <dd key={index}>{value}</dd>],
      )}
    </dl>
  );
}

interface TableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A small table. */
export function Table({ heads, rows }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, at) => (
              <td key={at}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
