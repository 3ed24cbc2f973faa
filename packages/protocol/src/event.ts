/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The kind of an event. The interface names only these two, but does not forbid other strings. */
export type Source = 'custom' | 'mobile' | (string & {});

/** A behavioural event, in the form that the service accepts (section 2.2 of the interface). */
export interface Event {
  /** Name of the event. */
  readonly event: string;
  /** Name of the attribute that matches the event to a user: the primary key chosen in the audience section. */
  readonly correlationKey: string;
  /** Value of that attribute for the user of the event. */
  readonly correlationValue: string;
  readonly source: Source;
  /** Time of the event, ISO 8601 UTC with milliseconds: `2026-11-21T10:15:30.000Z`. */
  readonly timestamp?: string;
  readonly uuid?: string;
  /** Free-form data attached to the event. */
  readonly payload?: { readonly [key: string]: Json };
}

/** The body of a request that sends events (section 2.1): at least one event. */
export interface Batch {
  readonly batch: readonly Event[];
}
