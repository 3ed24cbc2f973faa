export { pageContext, processContext } from '../parts/hooks/contexts.ts';
export { type Draft, type HookOptions, type HooksPart, hooks } from '../parts/hooks/hooks.ts';
