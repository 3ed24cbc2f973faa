export { type MigrateOptions, migrate } from './schema/migrate.ts';
