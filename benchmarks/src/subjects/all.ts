import { amplitude } from '../peers/amplitude.ts';
import { customerio } from '../peers/customerio.ts';
import { jitsu } from '../peers/jitsu.ts';
import { mixpanel } from '../peers/mixpanel.ts';
import { opentelemetry } from '../peers/opentelemetry.ts';
import { posthog } from '../peers/posthog.ts';
import { rudderstack } from '../peers/rudderstack.ts';
import { segment } from '../peers/segment.ts';
import { snowplow } from '../peers/snowplow.ts';
import { bare, collecting } from './bare.ts';
import { always, byDefault, inMemory } from './sluice.ts';
import type { Subject } from './subject.ts';

/** All subjects of a burst. */
export const SUBJECTS: readonly Subject[] = [
  ...[bare, collecting, byDefault, always, inMemory, mixpanel, opentelemetry],
  ...[posthog, segment, snowplow, customerio, amplitude, jitsu, rudderstack],
];
