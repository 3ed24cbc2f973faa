// Simulates outages with many clients, one after the other, and reports the measurements.
import { receiveSettings, takeLeave, tell } from '../../../processes/parent.ts';
import { type MeasuredOutage, measureOutage } from '../measured-outage.ts';
import { OUTAGES } from '../outages.ts';
import type { OutageSettings, OutageTold } from './messages.ts';

// Thousands of errors are made, and nobody reads their stacks.
Error.stackTraceLimit = 0;

const { names, size, seed } = await receiveSettings<OutageSettings>();
const outages: MeasuredOutage[] = [];
for (const outage of OUTAGES.filter(({ name }) => names.includes(name)))
  outages.push(await measureOutage(outage, size, seed));
tell<OutageTold>({ type: 'measured', outages });
takeLeave();
