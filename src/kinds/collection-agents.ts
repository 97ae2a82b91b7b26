import type { ReadContext } from '../model/kind.js';
import type { Resolver } from '../model/resource.js';

/** Reports each agent that an entry names twice. */
export function reportRepeats(agents: readonly string[], field: string, { report }: ReadContext): void {
  const seen = new Set<string>();
  agents.forEach((agent, index) => {
    if (seen.has(agent)) report(repeated([field, index], `agent "${agent}" is listed twice`));
    seen.add(agent);
  });
}

function repeated(path: readonly (string | number)[], message: string) {
  return { severity: 'error', code: 'duplicate-agent', path, message, help: 'Remove one of them.' } as const;
}

/** GUIDs of the agents in the order written; undefined when a problem was reported. */
export function resolveAgents(
  agents: readonly string[],
  field: string,
  resolver: Resolver,
): readonly string[] | undefined {
  const writtenAs = new Map<string, string>();
  agents.forEach((written, index) => {
    const agent = resolver.agent(written, [field, index]);
    if (agent === undefined) return;
    const other = writtenAs.get(agent.id);
    if (other === undefined) writtenAs.set(agent.id, written);
    else resolver.report(repeated([field, index], `"${written}" and "${other}" are the same agent`));
  });
  return writtenAs.size === agents.length ? [...writtenAs.keys()] : undefined;
}
