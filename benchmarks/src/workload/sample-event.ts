/** An event as shops send it. With the envelope, it takes about 445 bytes. */
export interface SampleEvent {
  readonly name: string;
  readonly payload: Record<string, string | number | boolean | string[]>;
  readonly correlationValue: string;
}

/** How many different events there are. */
export const SAMPLES = 64;
const PAGE_PADDING = 18;

/** Few, and made before the measurement: making payloads is the application's work, not the tracker's. */
const samples: readonly SampleEvent[] = Array.from({ length: SAMPLES }, (_, number) => ({
  name: 'item_to_cart',
  correlationValue: `customer-${1000 + number}@example.com`,
  payload: {
    sku: `SKU-${10_000 + number * 37}`,
    title: 'Cast-iron skillet, 26 cm',
    category: 'kitchen/pans',
    quantity: 1 + (number % 3),
    price: 42.5 + number,
    currency: 'EUR',
    url: `https://shop.example.com/kitchen/pans/${'p'.repeat(PAGE_PADDING)}`,
    isMember: number % 2 === 0,
    tags: ['autumn', 'induction'],
  },
}));

/** The event with this number. The events repeat. */
export function sampleEvent(number: number): SampleEvent {
  const sample = samples[number % SAMPLES];
  if (sample === undefined) throw new RangeError(`there is no event with number ${number}`);
  return sample;
}
