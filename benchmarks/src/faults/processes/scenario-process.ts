// Runs one scenario after the other, as it is asked to: should one of them bring the process down, that is seen.
import { onAsked, receiveSettings, tell } from '../../processes/parent.ts';
import { type Ran, runScenario, type Scenario } from './scenario.ts';

export type ScenarioAsked = { readonly type: 'run' } & Scenario;
export type ScenarioTold = { readonly type: 'ready' } | ({ readonly type: 'ran' } & Ran);

const { baseUrl } = await receiveSettings<{ baseUrl: string }>();

onAsked<ScenarioAsked>(async (scenario) => {
  tell<ScenarioTold>({ type: 'ran', ...(await runScenario(scenario, baseUrl)) });
});
tell<ScenarioTold>({ type: 'ready' });
