import { drainOnSync } from '../../src/service-worker.ts';

const given = new URL(location.href).searchParams;
drainOnSync({
  baseUrl: given.get('baseUrl') ?? '',
  apiKey: given.get('apiKey') ?? '',
  correlationKey: given.get('correlationKey') ?? '',
});
