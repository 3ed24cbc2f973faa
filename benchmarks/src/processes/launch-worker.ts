import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Launch } from './forked-process.ts';

/** Starts a process as a cluster worker. This process is its primary. */
export const launchWorker: Launch = (script, execArgv) => {
  cluster.setupPrimary({ exec: fileURLToPath(script), args: [], execArgv: [...execArgv] });
  return cluster.fork().process;
};
