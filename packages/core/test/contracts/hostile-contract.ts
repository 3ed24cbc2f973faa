import type { Transport } from '../../src/send/http/transport.ts';
import type { HostileAddresses } from '../hostile/script.ts';
import { type Traits, Trial } from '../hostile/trial.ts';
import { describeAnswers } from './answered-contract.ts';
import { describeSequences } from './sequence-contract.ts';
import { describeWithoutAnswer } from './unanswered-contract.ts';

/** Every transport must survive every service, and work afterwards. */
export function describeAtHostileService(
  name: string,
  create: () => Transport,
  service: HostileAddresses,
  traits: Traits,
): void {
  const trial = new Trial(create, service, traits);
  describeWithoutAnswer(name, trial);
  describeAnswers(name, trial);
  describeSequences(name, trial);
}
