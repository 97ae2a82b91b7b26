import inventory from '../../schemas/inventory.schema.json' with { type: 'json' };
import manifest from '../../schemas/manifest.schema.json' with { type: 'json' };
import plan from '../../schemas/plan.schema.json' with { type: 'json' };
import policies from '../../schemas/policies.schema.json' with { type: 'json' };
import project from '../../schemas/project.schema.json' with { type: 'json' };
import report from '../../schemas/report.schema.json' with { type: 'json' };
import runs from '../../schemas/runs.schema.json' with { type: 'json' };
import seed from '../../schemas/seed.schema.json' with { type: 'json' };
import snapshot from '../../schemas/snapshot.schema.json' with { type: 'json' };
import status from '../../schemas/status.schema.json' with { type: 'json' };

/** The JSON Schemas of all files and formats, by name. */
export const schemas: ReadonlyMap<string, object> = new Map<string, object>(
  Object.entries({ project, manifest, policies, plan, report, runs, status, inventory, snapshot, seed }),
);
