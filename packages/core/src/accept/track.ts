import type { TrackOptions } from './event-text.ts';

type AnyFunction = (...args: never[]) => unknown;

/** What arrays, functions and built-in objects have. JSON would keep no field of them. */
interface NotLost {
  readonly [Symbol.hasInstance]?: never;
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.match]?: never;
  readonly [Symbol.toPrimitive]?: never;
  readonly [Symbol.toStringTag]?: never;
}

/** The value itself, with `never` in place of what JSON would lose (`Lost`). JSON leaves out functions. */
type Json<Value, Lost> = Value extends Lost
  ? never
  : Value extends AnyFunction | { toJSON(key: string): unknown }
    ? Value
    : Value extends readonly unknown[]
      ? { readonly [Index in keyof Value]: Json<Value[Index], Lost> }
      : Value extends object
        ? Payload<Value, Lost>
        : Value;

/** An object of fields that JSON can hold. An Error has none. */
type Payload<Value, Lost> = NotLost & {
  readonly [Name in keyof Value]: Name extends 'stack'
    ? Value extends Error
      ? never
      : Json<Value[Name], Lost>
    : Json<Value[Name], Lost>;
};

/** Events of any name with any payload. */
export type AnyEvents = Record<string, object>;

/** As `AnyEvents`, with bigints in the payloads: for the option `bigint`. */
export type BigintEvents = Record<string, object | bigint>;

/** `Bare` if an event may have no payload, for example because each field is optional. Otherwise `Full`. */
export type IfBare<Payload, Bare, Full> =
  Record<never, never> extends Payload ? Bare : undefined extends Payload ? Bare : Full;

/** The names of events that may have no payload. */
type Bare<Events> = {
  [Name in keyof Events & string]: IfBare<Events[Name], Name, never>;
}[keyof Events & string];

/** Takes any event whose payload JSON can hold. */
type TrackAny<Lost> = <Given extends object & Payload<Given, Lost>>(
  name: string,
  payload?: Given,
  options?: TrackOptions,
) => void;

/** Takes the events that the application declares. */
interface TrackDeclared<Events> {
  <Name extends Bare<Events>>(name: Name, payload?: Events[Name], options?: TrackOptions): void;
  <Name extends keyof Events & string>(name: Name, payload: Events[Name], options?: TrackOptions): void;
}

/** The type of `track()` for these events: payloads by name. */
export type Track<Events> = BigintEvents extends Events
  ? TrackAny<symbol>
  : AnyEvents extends Events
    ? TrackAny<bigint | symbol>
    : TrackDeclared<Events>;
