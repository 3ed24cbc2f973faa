import { withoutSecrets } from '@sluice/protocol/toolbox';
import { checked } from '../checked.ts';
import type { CheckedPart } from './parts.ts';

/** Checks as the part `checked`. Its errors do not show the key, also where the user has put it in the place of another value. */
export const fullyChecked: CheckedPart = (options, apiKey) =>
  withoutSecrets([apiKey ?? Object(options).apiKey], () => checked(options, apiKey));
