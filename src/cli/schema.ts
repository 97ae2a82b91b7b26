import inventory from '../../schemas/inventory.schema.json' with { type: 'json' };
import manifest from '../../schemas/manifest.schema.json' with { type: 'json' };
import plan from '../../schemas/plan.schema.json' with { type: 'json' };
import project from '../../schemas/project.schema.json' with { type: 'json' };
import report from '../../schemas/report.schema.json' with { type: 'json' };
import snapshot from '../../schemas/snapshot.schema.json' with { type: 'json' };
import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { exitCode } from './exit.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import type { CommonFlags, Host } from './settings.js';

export const schemas: ReadonlyMap<string, object> = new Map<string, object>(
  Object.entries({ project, manifest, plan, report, inventory, snapshot }),
);

/** `roster schema [NAME]`: prints one of the JSON Schemas, that of roster.yaml by default. */
export function schema(
  name: string | undefined,
  flags: CommonFlags,
  host: Host,
  output: Output,
): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const found = schemas.get(name ?? 'project');
    if (found === undefined)
      throw problem('usage', `there is no schema "${name}"`, `One of: ${[...schemas.keys()].join(', ')}.`);
    return { exit: exitCode.fine, diagnostics: [], began: false, render: () => jsonText(found) };
  });
}
