import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Launch } from './forked-process.ts';

/** Starts a process as a worker of a cluster whose primary this process is. */
export const launchWorker: Launch = (script, execArgv) => {
  cluster.setupPrimary({ exec: fileURLToPath(script), args: [], execArgv: [...execArgv] });
  return cluster.fork().process;
};
