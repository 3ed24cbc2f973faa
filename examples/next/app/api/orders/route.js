import { after } from 'next/server';
import { tracker } from '../../../tracker.js';

export async function POST(request) {
  const { sku } = await request.json();
  tracker.for('ada@example.com').track('order', { sku });
  // A serverless host may freeze the process after the answer, but waits for this.
  after(() => tracker.flush({ timeoutMs: 5_000 }));
  return Response.json({ sku });
}
