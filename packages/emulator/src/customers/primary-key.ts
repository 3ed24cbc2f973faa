import { Refusal } from '../events/refusal.ts';
import type { Account } from '../running/account.ts';

/** Returns the selected primary key. Throws {@link Refusal} if there is none: both endpoints need one (section 1). */
export function requirePrimaryKey(account: Account): string {
  const name = account.primaryKey;
  if (name !== null) return name;
  throw new Refusal(
    'no_primary_key',
    'No primary key has been selected. Select one: start with --primary-key NAME, call selectPrimaryKey(), ' +
      'or PUT {"primaryKey": NAME} to {api_url}/emulator/admin/primary-key.',
  );
}
