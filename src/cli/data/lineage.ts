import { withReadSession } from '../../engine/session.js';
import { namesIn, refuseAddresses } from '../../operate/data/datasets.js';
import { dataLineage } from '../../operate/data/lineage.js';
import { graphDot, graphMermaid, graphText } from '../../view/graph/graph-formats.js';
import { jsonText } from '../../view/json/json-text.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

/** `roster data lineage ID`: where a dataset comes from. */
export function dataLineageCommand(
  given: string,
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data lineage'].formats, context, async () => {
    const { addresses, ids } = namesIn([given]);
    refuseAddresses(addresses, 'traced');
    const [id = ''] = ids;
    const found = await withReadSession(runSessionOptions([], flags, context), (session) =>
      dataLineage(session, id),
    );
    const { nodes, edges, graph } = context.output.redactor.value(found);
    return {
      render: {
        text: () => graphText(graph),
        mermaid: () => `${graphMermaid(graph).join('\n')}\n`,
        dot: () => graphDot(graph, new Map()),
        json: () => jsonText({ formatVersion: 1, id, nodes, edges, diagnostics: [] }),
      },
    };
  });
}
