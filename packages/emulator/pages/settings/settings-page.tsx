import type { KeyRows } from '../../src/admin/contract.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { BehaviourCard } from './behaviour-card.tsx';
import { ConnectCard } from './connect-card.tsx';
import { KeysCard } from './keys-card.tsx';

/** How to reach the service, its API keys, and how it answers. */
export function SettingsPage() {
  const keys = useAnswer<KeyRows>('/keys', status.value?.newestRequest);
  return (
    <>
      <ConnectCard keys={keys.value?.keys ?? []} />
      <KeysCard keys={keys} />
      <BehaviourCard />
    </>
  );
}
