import { hasErrors, Problem } from '../model/diagnostic.js';
import { driftOf, notInInventory } from '../reconcile/drift.js';
import { jsonText } from '../view/json/json-text.js';
import { driftJson } from '../view/json/plan-json.js';
import { driftText } from '../view/text/drift-text.js';
import { exitCode } from './exit.js';
import { inFileOrder } from './file-order.js';
import type { Output } from './output.js';
import { asDiagnostic } from './plan.js';
import { runCommand } from './run-command.js';
import { makePlan, openSession } from './session.js';
import type { CommonFlags, Host } from './settings.js';

/** `roster drift`: what was changed outside roster since the last apply. Exit 2 when anything was. */
export function drift(flags: CommonFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const session = openSession(flags, host, output);
    try {
      const { reconciled } = await makePlan(session, { proveDeliveries: false, previews: false });
      const diagnostics = inFileOrder(session.project, session.warnings, reconciled.diagnostics);
      if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
      const otherAccount = reconciled.plan.objections.filter((each) => each.code === 'inventory-mismatch');
      if (otherAccount.length > 0) throw new Problem(otherAccount.map(asDiagnostic));
      const { project, environment, service } = reconciled.plan;
      const blind = notInInventory(reconciled.matches, session.store.name);
      diagnostics.push(...blind);
      if (hasErrors(blind)) throw new Problem(diagnostics);
      const found = output.hidden({
        project,
        environment,
        service,
        diagnostics,
        ...driftOf({ matches: reconciled.matches, names: reconciled.names, now: new Date() }),
      });
      return {
        exit: found.changes.length > 0 ? exitCode.changes : exitCode.fine,
        diagnostics,
        began: false,
        render: (format, look) => (format === 'json' ? jsonText(driftJson(found)) : driftText(found, look)),
      };
    } finally {
      await session.client.close();
    }
  });
}
