export type { SluiceConfig } from './settings/config-file.ts';
