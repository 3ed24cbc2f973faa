// A host: serves the worker, and waits for what it hands to waitUntil() before it ends.
import { createServer } from 'node:http';
import worker from '../worker.js';

const { SLUICE_URL = '', SLUICE_API_KEY = '' } = process.env;
/** @type {Promise<unknown>[]} */
const works = [];
const context = { waitUntil: (/** @type {Promise<unknown>} */ work) => void works.push(work) };

const server = createServer(async ({ url, headers }, response) => {
  const request = new Request(new URL(url ?? '/', 'http://worker.example'), {
    headers: { 'x-customer': String(headers['x-customer']) },
  });
  const answer = await worker.fetch(request, { SLUICE_URL, SLUICE_API_KEY }, context);
  response.end(await answer.text());
});
server.listen(0, '127.0.0.1', () => console.log('listening', server.address()));

process.once('SIGTERM', async () => {
  await Promise.all(works);
  console.log(`waited for ${works.length}`);
  process.exit();
});
