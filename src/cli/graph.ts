import { graph } from '../engine/graph.js';
import { graphDot, graphMermaid, graphText } from '../view/graph/graph-formats.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { withDiagnostics } from '../view/json/fields.js';
import type { Implementation } from './command/command.js';
import { projectOptions } from './command/flags.js';
import type { graphCommand } from './commands/inspect.js';

/** `roster graph`: the dependency graph, offline; all of it, or what leads to and from the given addresses. */
export const runGraph: Implementation<typeof graphCommand> = async (addresses, flags, context) => {
  const made = graph(projectOptions(flags, context), addresses);
  const { name: project, environment } = made.project;
  const shown = context.output.redactor.value(made.graph);
  return {
    diagnostics: made.warnings,
    render: {
      text: () => graphText(shown),
      mermaid: () => `${graphMermaid(shown).join('\n')}\n`,
      dot: () => graphDot(shown, made.shapes),
      json: () => {
        const diagnostics = context.output.redactor.value(made.warnings);
        return jsonText(withDiagnostics({ project, environment, ...shown }, diagnostics));
      },
    },
  };
};
