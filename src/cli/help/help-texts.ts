import type { CommandName } from '../command/declarations.js';
import { dataHelp } from './data-help.js';
import type { HelpText } from './help-text.js';
import { offlineHelp } from './offline-help.js';
import { runsHelp } from './runs-help.js';
import { serviceHelp } from './service-help.js';
import { watchHelp } from './watch-help.js';

export const helpTexts: Readonly<Record<CommandName, HelpText>> = {
  ...offlineHelp,
  ...serviceHelp,
  ...watchHelp,
  ...runsHelp,
  ...dataHelp,
};
