import { kinds } from '../kinds/index.js';
import { suggest } from '../manifest/suggest.js';
import { hasErrors, Problem } from '../model/diagnostic.js';
import { type Graph, subgraphOf } from '../model/graph.js';
import type { Project } from '../model/resource.js';
import { linksOf } from '../reconcile/links.js';
import type { Selector } from '../reconcile/select.js';
import { graphDot } from '../view/graph/graph-dot.js';
import { graphMermaid } from '../view/graph/graph-mermaid.js';
import { graphText } from '../view/graph/graph-text.js';
import { jsonText } from '../view/json/json-text.js';
import { selectorsOf } from './addresses.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import { type CommonFlags, type Host, usage } from './settings.js';

/** `roster graph`: what targets what, offline; all of it, or what leads to and from the addresses given. */
export function graph(
  addresses: readonly string[],
  flags: CommonFlags,
  host: Host,
  output: Output,
): Promise<number> {
  const formats = ['text', 'mermaid', 'dot', 'json'] as const;
  return runCommand({ flags, formats, host, output }, async () => {
    const { project, diagnostics } = load(flags, host, output);
    if (project === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    const whole = graphOf(project);
    const selectors = selectorsOf(addresses);
    const shown = output.hidden(selectors === null ? whole : subgraphOf(whole, named(whole, selectors)));
    return {
      exit: exitCode.fine,
      diagnostics,
      began: false,
      render(format) {
        switch (format) {
          case 'text':
            return graphText(shown);
          case 'mermaid':
            return `${graphMermaid(shown).join('\n')}\n`;
          case 'dot':
            return graphDot(shown);
          case 'json':
            return jsonText({
              formatVersion: 1,
              project: project.name,
              environment: project.environment,
              ...shown,
            });
          default:
            return format satisfies never;
        }
      },
    };
  });
}

/** Entries that can target or be targeted, and the agents that they consist of. */
function graphOf({ entries }: Project): Graph {
  const takePart = new Set(
    kinds.flatMap((kind) => (kind.after.length > 0 ? [kind.name, ...kind.after] : [])),
  );
  const links = linksOf(entries, kinds);
  const own = entries.filter((entry) => takePart.has(entry.kind)).map((entry) => entry.address);
  return { nodes: [...new Set([...own, ...links.map((link) => link.to)])], links };
}

function named({ nodes }: Graph, selectors: readonly Selector[]): ReadonlySet<string> {
  const idle = selectors.filter((selector) => !nodes.some((node) => selector.matches(node)));
  if (idle.length > 0) throw new Problem(idle.map(({ pattern }) => nothingNamed(pattern, nodes)));
  return new Set(nodes.filter((node) => selectors.some((selector) => selector.matches(node))));
}

function nothingNamed(pattern: string, nodes: readonly string[]) {
  const near = suggest(pattern, nodes);
  const help =
    near === null
      ? 'An address is kind/key, such as group/retail-prices or agent/*.'
      : `Did you mean ${near}?`;
  return usage(`"${pattern}" is not in the graph of this project`, help);
}
