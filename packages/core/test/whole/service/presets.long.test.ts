import { describePresets } from './presets.ts';

describePresets(['plain', 'quiet', 'legacy']);
