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

/** The value itself, with `never` in place of what JSON would lose. JSON leaves out functions. */
type Json<Value> = Value extends bigint | symbol
  ? never
  : Value extends AnyFunction | { toJSON(key: string): unknown }
    ? Value
    : Value extends readonly unknown[]
      ? { readonly [Index in keyof Value]: Json<Value[Index]> }
      : Value extends object
        ? Payload<Value>
        : Value;

/** An object of fields that JSON can hold. An Error has none. */
type Payload<Value> = NotLost & {
  readonly [Name in keyof Value]: Name extends 'stack'
    ? Value extends Error
      ? never
      : Json<Value[Name]>
    : Json<Value[Name]>;
};

/** Events of any name with any payload. */
export type AnyEvents = Record<string, object>;

/** The names of events that may have no payload. */
type Bare<Events> = {
  [Name in keyof Events & string]: Record<never, never> extends Events[Name]
    ? Name
    : undefined extends Events[Name]
      ? Name
      : never;
}[keyof Events & string];

/** Takes any event whose payload JSON can hold. */
type TrackAny = <Given extends object & Payload<Given>>(
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
export type Track<Events> = AnyEvents extends Events ? TrackAny : TrackDeclared<Events>;
