import { memo } from 'preact/compat';
import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { shownText } from '../parts/text/shown-text.ts';
import { attributeText } from './attribute-text.ts';

interface CustomerItemProps {
  readonly row: CustomerRow;
  readonly href: string;
  readonly isOpen: boolean;
}

/** A customer in the list. It renders again only when it changes. */
export const CustomerItem = memo(({ row, href, isOpen }: CustomerItemProps) => {
  const { primaryKeyValue, attributes } = row;
  const others = Object.entries(attributes).filter(([, value]) => value !== primaryKeyValue);
  return (
    <a class="list-row customer" href={href} aria-current={isOpen ? 'true' : undefined}>
      {primaryKeyValue === null ? (
        <span class="badge warn">no primary key</span>
      ) : (
        <strong class="cut">{shownText(primaryKeyValue)}</strong>
      )}
      <span class="cut muted">
        {others.slice(0, 6).map(([name, value]) => (
          <span key={name} class="pair">
            <bdi>{shownText(name)}</bdi> <bdi class="pair-value">{shownText(attributeText(value))}</bdi>
          </span>
        ))}
      </span>
    </a>
  );
});
