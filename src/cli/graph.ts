import { graph } from '../engine/graph.js';
import { graphDot, graphMermaid, graphText } from '../view/graph/graph-formats.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import { type CommonFlags, projectOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster graph`: the dependency graph, offline; all of it, or what leads to and from the given addresses. */
export function graphCommand(
  addresses: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.graph.formats, context, async () => {
    const made = graph(projectOptions(flags, context), addresses);
    const { name: project, environment } = made.project;
    const shown = context.output.redactor.value(made.graph);
    return {
      diagnostics: made.warnings,
      render: {
        text: () => graphText(shown),
        mermaid: () => `${graphMermaid(shown).join('\n')}\n`,
        dot: () => graphDot(shown, made.shapes),
        json: () => jsonText({ formatVersion: 1, project, environment, ...shown }),
      },
    };
  });
}
