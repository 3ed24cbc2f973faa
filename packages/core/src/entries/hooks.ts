export {
  type Draft,
  type HookOptions,
  type HooksPart,
  hooks,
  pageContext,
  processContext,
} from '../parts/hooks.ts';
