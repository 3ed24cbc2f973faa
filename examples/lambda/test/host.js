// A host: invokes the handler with each line of its standard input, and prints the answers.
import { createInterface } from 'node:readline';
import { handler } from '../handler.js';

for await (const line of createInterface({ input: process.stdin })) {
  const { leftMs, ...sale } = JSON.parse(line);
  console.log(JSON.stringify(await handler(sale, { getRemainingTimeInMillis: () => leftMs })));
}
