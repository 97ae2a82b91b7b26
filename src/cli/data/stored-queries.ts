import type { StoredQuery } from '../../model/data.js';
import { queriesJson } from '../../view/data/data-json.js';
import { storedQueriesText } from '../../view/data/data-text.js';
import { escapeControls } from '../../view/escape.js';
import { jsonText } from '../../view/json/json-text.js';
import type { CommandResult } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** The result of the commands about saved queries. `sentence`: what was done, in place of the list. */
export function queriesResult(
  found: readonly StoredQuery[],
  { output }: CommandContext,
  sentence: string | null,
): CommandResult<'text' | 'json'> {
  const queries = output.redactor.value(found);
  return {
    render: {
      text: (style) =>
        sentence === null ? storedQueriesText(queries, style) : `${escapeControls(sentence)}\n`,
      json: () => jsonText(queriesJson(queries)),
    },
  };
}
