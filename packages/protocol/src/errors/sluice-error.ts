/** Every `code` that a Sluice error can have. Codes are stable: no code is ever renamed or gets another meaning. */
export type SluiceErrorCode =
  | 'SLUICE_CONFIG'
  | 'SLUICE_INVALID_EVENT'
  | 'SLUICE_STORAGE'
  | 'SLUICE_DELIVERY'
  | 'SLUICE_CUSTOMER_NOT_FOUND'
  | 'SLUICE_INVALID_CUSTOMER'
  | 'SLUICE_CLOSED';

// A symbol of the global registry, so that errors of another copy of this package are recognised too.
const brand: unique symbol = Symbol.for('sluice.error');

/**
 * Base class of all Sluice errors: a stable `code`, and a `cause` if there is one.
 *
 * @example if (error instanceof SluiceError) console.error(error.code, error.cause);
 */
export class SluiceError extends Error {
  // `declare`: the constructor sets it, so the class needs no field of its own. Likewise in the subclasses.
  declare readonly code: SluiceErrorCode;

  constructor(code: SluiceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = nameOf(code);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Whether `value` is a Sluice error. Recognises errors of another copy of the package or of another realm, such as a frame or
 * a test runner's context, where `instanceof` fails. With a `code`: whether it is a Sluice error with that code.
 *
 * @example if (isSluiceError(error, 'SLUICE_STORAGE')) await useAnotherDisk();
 */
export function isSluiceError(value: unknown, code?: SluiceErrorCode): value is SluiceError {
  return (
    typeof value === 'object' &&
    value !== null &&
    Reflect.get(value, brand) === true &&
    (code === undefined || Reflect.get(value, 'code') === code)
  );
}

// Derives the name from the code, because minifiers rename classes: `SLUICE_INVALID_EVENT` gives `InvalidEventError`.
function nameOf(code: SluiceErrorCode): string {
  const name = code.toLowerCase().replace(/^sluice|_(.)/g, (_match, initial = '') => initial.toUpperCase());
  return `${name}Error`;
}
