import { readFileSync } from 'node:fs';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const blocks = [...README.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);

/** The SQL of the README: makes the roles, gives them their rights, and gives a forwarder the right to run VACUUM. */
export const [ROLES = '', RIGHTS = '', VACUUM_RIGHT = ''] = blocks;
