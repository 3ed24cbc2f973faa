import type { Behaviour } from '../../src/behaviour.ts';

/** The texts of a setting. */
interface Words<Name extends keyof Behaviour> {
  readonly name: Name;
  readonly label: string;
  readonly hint: string;
}

type NumberName =
  | 'acceptedStatus'
  | 'partlyAcceptedStatus'
  | 'maxEvents'
  | 'maxBodyBytes'
  | 'maxRequestsPerSecond';
type ChoiceName = 'acceptedBody' | 'badEvents' | 'refusalBody';
type FlagName = 'answersPrimaryKey' | 'retryAfter' | 'compression';

/** The settings that are numbers. */
export const NUMBERS: readonly (Words<NumberName> & { readonly isOptional?: boolean })[] = [
  {
    name: 'acceptedStatus',
    label: 'Status of a batch that is taken',
    hint: '200 to 299.',
  },
  {
    name: 'partlyAcceptedStatus',
    label: 'Status where events are left out',
    hint: '200 to 499; where wrong events are left out of a batch.',
  },
  {
    name: 'maxEvents',
    label: 'Most events in a batch',
    hint: 'A larger batch is refused. Empty: no limit.',
    isOptional: true,
  },
  { name: 'maxBodyBytes', label: 'Largest body, in bytes', hint: 'Also of what is unpacked from gzip.' },
  {
    name: 'maxRequestsPerSecond',
    label: 'Most requests in a second',
    hint: 'For each endpoint; more are refused. Empty: no limit.',
    isOptional: true,
  },
];

/** The settings with a few possible values. */
export const CHOICES: readonly (Words<ChoiceName> & {
  readonly choices: Readonly<Record<string, string>>;
})[] = [
  {
    name: 'acceptedBody',
    label: 'Body of that answer',
    hint: 'What whoever sent a batch is told.',
    choices: { counts: 'JSON with counts', text: 'OK, as text', empty: 'Nothing' },
  },
  {
    name: 'badEvents',
    label: 'Wrong events in a batch',
    hint: 'Left out, they are named in the answer, and the others are taken.',
    choices: { refuse: 'Refuse the whole batch', 'leave-out': 'Leave them out' },
  },
  {
    name: 'refusalBody',
    label: 'Body of a refusal',
    hint: 'The requests page tells the reason in any case.',
    choices: { json: 'JSON', text: 'Its message, as text', empty: 'Nothing' },
  },
];

/** The settings that are on or off. */
export const FLAGS: readonly Words<FlagName>[] = [
  {
    name: 'answersPrimaryKey',
    label: 'Customers come with primary_key',
    hint: 'Beside their attributes.',
  },
  {
    name: 'retryAfter',
    label: 'Retry-After',
    hint: 'Says when to come back, where there were too many requests.',
  },
  { name: 'compression', label: 'Takes gzip', hint: 'Else a compressed body is refused.' },
];
