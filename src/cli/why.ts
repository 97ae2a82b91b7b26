import { suggest } from '../manifest/suggest.js';
import { Problem, problem } from '../model/diagnostic.js';
import { why as explain } from '../reconcile/why.js';
import { jsonText } from '../view/json/json-text.js';
import { whyJson } from '../view/json/plan-json.js';
import { whyText } from '../view/text/why-text.js';
import { exitCode } from './exit.js';
import { inFileOrder } from './file-order.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import { makePlan, openSession } from './session.js';
import type { CommonFlags, Host } from './settings.js';

/** `roster why ADDRESS`: which remote object it is paired with, by which rule, what differs, and what is ignored. */
export function why(address: string, flags: CommonFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const session = openSession(flags, host, output);
    try {
      const { reconciled, state } = await makePlan(session, { proveDeliveries: false, previews: false });
      const { plan, matches, externals, names } = reconciled;
      if (plan === null)
        throw new Problem(inFileOrder(session.project, session.warnings, reconciled.diagnostics));
      const objectsOf = (kind: string) => state.objects.get(kind) ?? [];
      const found = explain(address, {
        plan,
        matches,
        externals,
        entries: session.project.entries,
        names,
        objectsOf,
      });
      if (found === null)
        throw unknown(
          address,
          plan.changes.map((each) => each.address),
        );
      const [shown, shownPlan] = output.hidden([found, plan] as const);
      return {
        exit: exitCode.fine,
        diagnostics: [],
        began: false,
        render: (format, look) =>
          format === 'json' ? jsonText(whyJson(shown, shownPlan)) : whyText(shown, shownPlan, look),
      };
    } finally {
      await session.client.close();
    }
  });
}

function unknown(address: string, known: readonly string[]): Error {
  const near = suggest(address, known);
  const help =
    near === null
      ? 'An address is kind/key, such as group/retail-prices; `roster plan` shows them.'
      : `Did you mean ${near}?`;
  return problem('usage', `there is no resource "${address}" in this project`, help);
}
