export { type Draft, type HookOptions, hooks, pageContext, processContext } from '../parts/hooks.ts';
