import { fetch as undiciFetch } from 'undici';
import type { Fetch } from './fetch.ts';

/** undici's fetch over its global dispatcher, which a user may set; its idle sockets do not keep a process alive. */
export const platformFetch: Fetch = (url, request) => undiciFetch(url, request);
