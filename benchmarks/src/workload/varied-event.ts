import { randomBytes } from 'node:crypto';

const NAMES = ['page_view', 'page_view', 'page_view', 'item_to_cart', 'purchase'];
/** How many customers there are, and how many products. Each comes once in so many events. */
export const CUSTOMERS = 50_000;
export const SKUS = 100_000;
const WORDS =
  'amber birch cedar dusk ember fern grove hazel iris juniper kelp larch maple north oak pine quartz reed slate thyme umber violet willow yarrow';
const words = WORDS.split(' ');
const UUIDS_AT_ONCE = 4_096;
const UUID_BYTES = 16;

let random = '';
let used = UUIDS_AT_ONCE;

/** The text of an event of about 400 bytes, with a new uuid. Fields that vary in real data differ from event to event. */
export function variedEventText(number: number): string {
  const title = `${word(number)} ${word(number * 7 + 3)} ${word(number * 13 + 5)}`;
  const path = `/${word(number * 3)}/${word(number * 5 + 1)}/${number % 1_000}`;
  return (
    `{"event":"${NAMES[number % NAMES.length]}","correlationKey":"email",` +
    `"correlationValue":"${customerOf(number)}","source":"custom","timestamp":"2026-11-22T04:05:06.789Z",` +
    `"uuid":"${newUuid()}","payload":{"sku":"${skuOf(number)}","title":"${title}","quantity":${1 + (number % 3)},` +
    `"price":${(number % 10_000) / 100},"currency":"EUR","url":"https://shop.example.com${path}",` +
    `"isMember":${number % 2 === 0},"cart":{"items":${number % 7},"id":"cart-${number}"}}}`
  );
}

/** The customer of an event. */
export function customerOf(number: number): string {
  return customerAt((number * 7_919) % CUSTOMERS);
}

/** The customer with this index, below {@link CUSTOMERS}. */
export function customerAt(index: number): string {
  return `customer-${index}@example.com`;
}

/** The product of an event. */
export function skuOf(number: number): string {
  return `SKU-${(number * 104_729) % SKUS}`;
}

function word(number: number): string {
  return words[number % words.length] ?? '';
}

// Random bytes, made for many uuids in one call.
function newUuid(): string {
  if (used === UUIDS_AT_ONCE) {
    random = randomBytes(UUIDS_AT_ONCE * UUID_BYTES).toString('hex');
    used = 0;
  }
  const hex = random.slice(used * UUID_BYTES * 2, (used + 1) * UUID_BYTES * 2);
  used += 1;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
