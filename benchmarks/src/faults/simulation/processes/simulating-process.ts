// Runs schedules one after the other, and reports the results.
import { receiveSettings, takeLeave, tell } from '../../../processes/parent.ts';
import { CoreUnderTest } from '../core-under-test.ts';
import { simulate } from '../simulate.ts';
import type { SimulatingSettings, SimulatingTold } from './messages.ts';

// Thousands of errors are made, and nobody reads their stacks.
Error.stackTraceLimit = 0;

const { core, ...settings } = await receiveSettings<SimulatingSettings>();
const result = await simulate(await CoreUnderTest.load(core), settings);
tell<SimulatingTold>({ type: 'simulated', ...result });
takeLeave();
