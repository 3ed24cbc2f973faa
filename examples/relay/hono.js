// @ts-check
import { serve } from '@hono/node-server';
import { toHonoHandler } from '@sluice/relay';
import { Hono } from 'hono';
import { closeAtEnd, relay } from './relay.js';

const application = new Hono();
application.all('/s', toHonoHandler(relay));

const { PORT = '3000' } = process.env;
const server = serve({ fetch: application.fetch, port: Number(PORT) }, (address) =>
  console.log('listening', address),
);
closeAtEnd(server);
