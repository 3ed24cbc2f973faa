/** Every `code` a Sluice error can carry. Stable: a code is never renamed or given another meaning. */
export type SluiceErrorCode =
  | 'SLUICE_CONFIG'
  | 'SLUICE_INVALID_EVENT'
  | 'SLUICE_STORAGE'
  | 'SLUICE_DELIVERY'
  | 'SLUICE_CUSTOMER_NOT_FOUND'
  | 'SLUICE_INVALID_CUSTOMER'
  | 'SLUICE_CLOSED';

// In the global registry, so that an error made by another copy of this package is still recognised.
const brand: unique symbol = Symbol.for('sluice.error');

/** What all errors of Sluice have in common: a stable `code`, and the `cause` where there is one. */
export class SluiceError extends Error {
  readonly code: SluiceErrorCode;

  constructor(code: SluiceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = nameOf(code);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Whether `value` is an error of Sluice, also one made by another copy of the package or in another
 * realm, such as a frame or a test runner's context (where `instanceof` fails).
 * With a `code`, whether it is the error of that code.
 */
export function isSluiceError(value: unknown, code?: SluiceErrorCode): value is SluiceError {
  return (
    typeof value === 'object' &&
    value !== null &&
    Reflect.get(value, brand) === true &&
    (code === undefined || Reflect.get(value, 'code') === code)
  );
}

// From the code, not from the class: minifiers rename classes. `SLUICE_INVALID_EVENT` is an `InvalidEventError`.
function nameOf(code: SluiceErrorCode): string {
  const name = code.toLowerCase().replace(/^sluice|_(.)/g, (_match, initial = '') => initial.toUpperCase());
  return `${name}Error`;
}
