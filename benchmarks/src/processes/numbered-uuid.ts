const LIFE_DIGITS = 8;
const NUMBER_DIGITS = 12;

/** A uuid that tells which event it is. Each process that tracks is one life, and numbers its events from 0. */
export function numberedUuid(life: number, number: number): string {
  return `${hex(life, LIFE_DIGITS)}-0000-4000-8000-${hex(number, NUMBER_DIGITS)}`;
}

/** The life in such a uuid. */
export function lifeOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, LIFE_DIGITS), 16);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
