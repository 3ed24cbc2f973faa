// Simulates one outage with many clients, and reports the measurements.
import { receiveSettings, takeLeave, tell } from '../../../processes/parent.ts';
import { measureOutage } from '../measured-outage.ts';
import { OUTAGES } from '../outages.ts';
import type { OutageSettings, OutageTold } from './messages.ts';

// Thousands of errors are made, and nobody reads their stacks.
Error.stackTraceLimit = 0;

const { name, size, seed } = await receiveSettings<OutageSettings>();
const outage = OUTAGES.find((one) => one.name === name);
if (outage === undefined) throw new RangeError(`there is no outage "${name}"`);
tell<OutageTold>({ type: 'measured', ...(await measureOutage(outage, size, seed)) });
takeLeave();
