// @ts-check
import { toFastifyHandler } from '@sluice/relay';
import Fastify from 'fastify';
import { closeAtEnd, relay } from './relay.js';

const application = Fastify();
application.all('/s', toFastifyHandler(relay));

const { PORT = '3000' } = process.env;
await application.listen({ port: Number(PORT) });
console.log('listening', application.server.address());
closeAtEnd(application);
