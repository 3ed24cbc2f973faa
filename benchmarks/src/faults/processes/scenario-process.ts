// Runs scenarios one after the other, on request. If one of them ends this process, the parent sees that.
import { onAsked, receiveSettings, tell } from '../../processes/parent.ts';
import { type Ran, runScenario, type Scenario } from './scenario.ts';

export type ScenarioAsked = { readonly type: 'run' } & Scenario;
export type ScenarioTold = { readonly type: 'ready' } | ({ readonly type: 'ran' } & Ran);

const { baseUrl } = await receiveSettings<{ baseUrl: string }>();

onAsked<ScenarioAsked>(async (scenario) => {
  tell<ScenarioTold>({ type: 'ran', ...(await runScenario(scenario, baseUrl)) });
});
tell<ScenarioTold>({ type: 'ready' });
