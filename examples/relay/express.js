// @ts-check
import { toNodeHandler } from '@sluice/relay';
import express from 'express';
import { closeAtEnd, relay } from './relay.js';

const application = express();
application.all('/s', toNodeHandler(relay));

const { PORT = '3000' } = process.env;
const server = application.listen(Number(PORT), (error) => {
  if (error) throw error; // Express 5 calls this if the port is taken, too
  console.log('listening', server.address());
});
closeAtEnd(server);
