// @ts-check
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '' } = process.env;
// For development. In production your server does this, and decides for whom a visitor may speak.
const proxy = {
  '/api/events/batch/': { target: SLUICE_URL, headers: { authorization: `Api-Key ${SLUICE_API_KEY}` } },
};

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
