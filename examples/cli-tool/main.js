#!/usr/bin/env node
// @ts-check
import { userInfo } from 'node:os';
import { createTracker } from '@sluice/core';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '' } = process.env;
const tracker = createTracker({ baseUrl: SLUICE_URL, apiKey: SLUICE_API_KEY, correlationKey: 'email' });

const [command = 'help', ...args] = process.argv.slice(2);
console.log(`${command}: done`);
tracker.track('command', { command, args: args.length }, { correlationValue: userInfo().username });

// A process of its own delivers what this run and earlier ones left. This one ends without a wait.
tracker.drainInBackground();
process.exit();
