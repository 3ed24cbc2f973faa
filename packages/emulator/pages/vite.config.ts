import { defineConfig, type UserConfig } from 'vite';

const config: UserConfig = defineConfig({ build: { license: { fileName: 'third-party-notices.md' } } });
export default config;
