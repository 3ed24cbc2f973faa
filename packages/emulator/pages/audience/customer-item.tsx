import { memo } from 'preact/compat';
import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { shownText } from '../parts/text/shown-text.ts';
import { attributeText } from './attribute-text.ts';

interface CustomerItemProps {
  readonly row: CustomerRow;
  readonly columns: readonly string[];
  readonly href: string;
  readonly isOpen: boolean;
}

/** A customer in the list. It renders again only when it changes. */
export const CustomerItem = memo(({ row, columns, href, isOpen }: CustomerItemProps) => {
  const { primaryKeyValue, attributes } = row;
  return (
    <a class="list-row customer" href={href} aria-current={isOpen ? 'true' : undefined}>
      {primaryKeyValue === null ? (
        <span class="badge warn">no primary key</span>
      ) : (
        <strong class="cut">{shownText(primaryKeyValue)}</strong>
      )}
      {columns.map((name) => (
        <bdi key={name} class="cut" title={name}>
          {Object.hasOwn(attributes, name) && shownText(attributeText(attributes[name]))}
        </bdi>
      ))}
    </a>
  );
});
