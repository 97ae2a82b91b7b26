import type { DataRows } from '../../operate/data/rows.js';
import { csvText } from '../../view/data/csv.js';
import { tablesJson } from '../../view/data/data-json.js';
import { rowsJsonLines, rowsText } from '../../view/data/rows-text.js';
import { jsonText } from '../../view/json/json-text.js';
import type { declarations } from '../command/declarations.js';
import { exitCodeFor } from '../command/exit.js';
import type { CommandResult } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

type RowFormat = (typeof declarations)['data query']['formats'][number];

/** The result of the commands that print rows. */
export function rowsResult(found: DataRows, { output }: CommandContext): CommandResult<RowFormat> {
  const { tables, diagnostics } = output.redactor.value(found);
  return {
    exit: exitCodeFor(diagnostics),
    diagnostics,
    render: {
      text: (style) => rowsText(tables, style),
      json: () => jsonText(tablesJson(tables, diagnostics)),
      csv: () => csvText(tables),
      jsonl: () => rowsJsonLines(tables),
    },
  };
}
