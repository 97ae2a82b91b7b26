import { suggest } from '../../manifest/suggest.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { byCodeUnit } from '../../model/json.js';
import type { Address, Agent } from '../../model/resource.js';

/** An error for each input that no agent of the target has. Without known agents there is nothing to compare with. */
export function inputProblems(
  address: Address,
  keys: readonly string[],
  agents: readonly Agent[],
): readonly Diagnostic[] {
  if (agents.length === 0) return [];
  const known = [...new Set(agents.flatMap((agent) => agent.inputKeys))].sort(byCodeUnit);
  const unknown = keys.filter((key) => !known.includes(key));
  return unknown.map((key) => ({
    severity: 'error',
    code: 'unknown-input',
    message: `${agents.length === 1 ? address : `no agent of ${address}`} has ${agents.length === 1 ? 'no' : 'an'} input "${key}"`,
    help: hint(key, known),
  }));
}

function hint(key: string, known: readonly string[]): string {
  const closest = suggest(key, known);
  if (closest !== null) return `Did you mean \`${closest}\`?`;
  if (known.length === 0) return 'It has no inputs.';
  return `Known inputs: ${known.map((each) => `\`${each}\``).join(', ')}.`;
}
