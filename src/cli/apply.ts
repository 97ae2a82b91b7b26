import { resolve } from 'node:path';
import { inventoryAfter } from '../apply/inventory-update.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { print } from '../inventory/format.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, hasErrors, Problem, problem } from '../model/diagnostic.js';
import type { Inventory, Lock, LockInfo } from '../model/inventory.js';
import { isEmpty, type Plan } from '../model/plan.js';
import type { ChangeOutcome, Report } from '../model/report.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { reportJson } from '../view/json/plan-json.js';
import { isComplete } from '../view/summary-line.js';
import { planText } from '../view/text/plan-text.js';
import { reportText } from '../view/text/report-text.js';
import { selectorsOf } from './addresses.js';
import { carryOut } from './carry-out.js';
import { type Answer, confirm } from './confirm.js';
import { runResult } from './ending.js';
import { exitCode } from './exit.js';
import { inFileOrder } from './file-order.js';
import type { Interrupts } from './interrupts.js';
import { pollUntilShown, recreatesKnown } from './lagging.js';
import { waitForLock, withLock } from './locking.js';
import type { Output } from './output.js';
import { outputPaths } from './output-files.js';
import { asDiagnostic } from './plan.js';
import { progressOf } from './progress.js';
import { type Result, renderOptions, runCommand, tell } from './run-command.js';
import { compareWithDigest, compareWithSaved, readSavedPlan, type SavedPlan } from './saved-plan.js';
import { makePlan, type Observation, openSession, type Session } from './session.js';
import { type ApplyFlags, allowancesOf, chooseLockTimeout, defaults, type Host, usage } from './settings.js';

type Format = 'text' | 'json';
const formats: readonly Format[] = ['text', 'json'];

/** `roster apply`: plans afresh, shows the plan, asks, and carries out exactly that. */
export function apply(
  addresses: readonly string[],
  flags: ApplyFlags,
  host: Host,
  output: Output,
  interrupts: Interrupts,
): Promise<number> {
  return runCommand({ flags, formats, host, output }, async () => {
    const allow = allowancesOf(flags);
    const patience = chooseLockTimeout(flags);
    const selectors = selectorsOf(addresses);
    const reviewed = {
      digest: flags.expect ?? null,
      saved: flags.plan === undefined ? null : readSavedPlan(resolve(host.cwd, flags.plan), flags.plan),
    };
    checkCanAsk(flags, host);
    if (flags.report !== undefined) checkWritable(resolve(host.cwd, flags.report));
    const session = openSession(flags, host, output, interrupts.signal);
    try {
      const command = new ApplyCommand(flags, reviewed, host, output, interrupts, session);
      const outputs = outputPaths(flags, host);
      const observe = () =>
        makePlan(session, { allow, selectors, proveDeliveries: true, previews: true, outputs });
      const once = async () => command.run(await pollUntilShown(session, observe, recreatesKnown), observe);
      const onWait = (holder: LockInfo) => command.waitsFor(holder);
      return await waitForLock(session.store, patience, once, onWait);
    } catch (failure) {
      // What is told is how the requests in flight ended, not why.
      if (failure instanceof Problem && interrupts.requested())
        throw problem('interrupted', 'nothing was changed');
      throw failure;
    } finally {
      await session.client.close();
    }
  });
}

/** A plan that was reviewed elsewhere needs no second yes: `--expect` and `--plan` name it. */
function checkCanAsk(flags: ApplyFlags, host: Host): void {
  if (isAgreed(flags) || host.stdinIsTerminal) return;
  const help = 'Say --yes, or --expect DIGEST for the plan that was reviewed.';
  throw new Problem(usage('there is no terminal to ask on', help));
}

function isAgreed({ yes, expect, plan }: ApplyFlags): boolean {
  return yes === true || expect !== undefined || plan !== undefined;
}

/** What was reviewed elsewhere, as far as it was named. */
interface Reviewed {
  readonly digest: string | null;
  readonly saved: SavedPlan | null;
}

class ApplyCommand {
  private waitedFor: string | null = null;

  constructor(
    readonly flags: ApplyFlags,
    readonly reviewed: Reviewed,
    readonly host: Host,
    readonly output: Output,
    readonly interrupts: Interrupts,
    readonly session: Session,
  ) {}

  /** @param observe looks at everything anew. */
  async run(observation: Observation, observe: () => Promise<Observation>): Promise<Result<Format>> {
    const plan = this.understood(observation);
    this.show(plan);
    this.refuse(plan);
    if (isEmpty(plan)) return this.nothingToDo(plan, observation);
    const answer = await this.ask(plan);
    if (answer === 'interrupted' || this.interrupts.requested())
      throw problem('interrupted', 'nothing was changed');
    if (answer === 'no') return this.declined(plan);
    if (isAgreed(this.flags)) return this.carryOut(plan, observation);
    return this.carryOut(plan, await this.unchanged(plan, observe));
  }

  /** Hours may have passed before the answer: what was agreed to must still be what there is to do. */
  private async unchanged(plan: Plan, observe: () => Promise<Observation>): Promise<Observation> {
    const again = await observe();
    const refusals = compareWithDigest(this.understood(again), plan.digest);
    if (refusals.length > 0) throw new Problem(refusals);
    return again;
  }

  /** Told once for each run that is waited for. */
  waitsFor({ name, since }: LockInfo): void {
    if (this.interrupts.requested()) throw problem('interrupted', 'nothing was changed');
    if (this.waitedFor === name) return;
    this.waitedFor = name;
    const words = this.output.hidden(
      `Waiting for ${escapeControls(name)}, which holds the lock since ${escapeControls(since)}.\n`,
    );
    this.output.err(words);
  }

  private understood({ reconciled }: Observation): Plan {
    const diagnostics = inFileOrder(this.session.project, this.session.warnings, reconciled.diagnostics);
    if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    return { ...reconciled.plan, diagnostics };
  }

  private show(plan: Plan): void {
    const json = this.flags.format === 'json';
    // With JSON on stdout a plan is shown only to somebody who is about to be asked about it.
    if (json && isAgreed(this.flags)) return;
    tell(this, plan.diagnostics);
    if (isEmpty(plan) && plan.objections.length === 0) return;
    const text = `${planText(this.output.hidden(plan), renderOptions(this))}\n`;
    if (json) this.output.err(text);
    else this.output.out(text);
  }

  private refuse(plan: Plan): void {
    const { digest, saved } = this.reviewed;
    const refusals = [
      ...plan.objections.map(asDiagnostic),
      ...(digest === null ? [] : compareWithDigest(plan, digest)),
      ...(saved === null ? [] : compareWithSaved(plan, saved, this.output)),
    ];
    if (refusals.length > 0) throw new Problem(refusals);
    if (this.interrupts.requested()) throw problem('interrupted', 'nothing was changed');
  }

  private async ask(plan: Plan): Promise<Answer> {
    if (isAgreed(this.flags)) return 'yes';
    return confirm(`Apply this plan to ${this.output.hidden(plan.service)}?\nOnly 'yes' will be accepted: `);
  }

  private async declined(plan: Plan): Promise<Result<Format>> {
    const message = 'not confirmed: nothing was changed';
    const diagnostic: Diagnostic = { severity: 'error', code: 'not-allowed', message };
    const outcomes = plan.changes
      .filter((each) => each.action !== 'none')
      .map(({ address, id }): ChangeOutcome => ({ address, id, outcome: 'skipped', error: 'not confirmed' }));
    const diagnostics = [...plan.diagnostics, diagnostic];
    const report: Report = this.output.hidden({
      plan,
      outcomes,
      converged: false,
      interrupted: false,
      keyEnded: false,
      diagnostics,
    });
    const render = (format: Format) => (format === 'json' ? jsonText(reportJson(report)) : '');
    return { exit: exitCode.error, diagnostics: [diagnostic], began: false, render };
  }

  /** No request, but what is ours may have to be written down: a `protect` that changed, a difference made good outside. */
  private async nothingToDo(
    plan: Plan,
    { inventory, reconciled, state }: Observation,
  ): Promise<Result<Format>> {
    const ids = new Map(
      plan.changes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])),
    );
    const after = inventoryAfter(
      inventory,
      { plan, kinds, records: reconciled.records, observed: state.objects },
      [],
      ids,
    );
    const unsaved = print(after) === print(inventory) ? [] : await this.writeDown(plan, inventory, after);
    return this.result({
      plan,
      outcomes: [],
      converged: true,
      interrupted: false,
      keyEnded: false,
      diagnostics: [...plan.diagnostics, ...unsaved],
    });
  }

  private async writeDown(plan: Plan, before: Inventory, after: Inventory): Promise<readonly Diagnostic[]> {
    const work = (lock: Lock) => lock.save(after);
    const adopted = plan.changes
      .filter((each) => each.action !== 'none')
      .map(({ address, id }): ChangeOutcome => ({ address, id, outcome: 'done', error: null }));
    const ending = runResult('complete', plan, adopted, before, after);
    const { session } = this;
    return (await withLock({ session, plan, expected: before, work, runResult: () => ending })).diagnostics;
  }

  private async carryOut(plan: Plan, observation: Observation): Promise<Result<Format>> {
    const { session, output, interrupts, host } = this;
    const terminal = host.stderrIsTerminal && host.env['CI'] === undefined;
    const progress = progressOf(plan, output, terminal, host.columns ?? defaults.width);
    const verify = this.flags.verify !== false;
    const applied = await carryOut({ session, plan, observation, output, interrupts, progress, verify });
    const { outcomes, interrupted, left } = applied;
    const settled = outcomes.every((each) => each.outcome === 'done');
    return this.result({
      plan,
      outcomes,
      converged: left === null ? (settled ? null : false) : settled && left.length === 0,
      interrupted: interrupted || (interrupts.requested() && left?.length !== 0),
      keyEnded: applied.keyEnded || applied.endedOwnAccess,
      // What is left of changes that failed is no news.
      diagnostics: [...plan.diagnostics, ...applied.diagnostics, ...(settled ? (left ?? []) : [])],
    });
  }

  private async result(report: Report): Promise<Result<Format>> {
    const own = report.diagnostics.slice(report.plan.diagnostics.length);
    const shown = this.output.hidden(report);
    const unwritten = await this.writeReport(shown);
    const complete = isComplete(report) && unwritten.length === 0;
    const failed = report.interrupted ? exitCode.interrupted : exitCode.incomplete;
    return {
      exit: complete ? exitCode.fine : failed,
      diagnostics: [...own, ...unwritten],
      began: report.outcomes.length > 0,
      render: (format, look) => (format === 'json' ? jsonText(reportJson(shown)) : reportText(shown, look)),
    };
  }

  /** Changes were made by now: that the report cannot be written is told, and is no reason to say nothing else. */
  private async writeReport(report: Report): Promise<readonly Diagnostic[]> {
    if (this.flags.report === undefined) return [];
    try {
      await writeAtomic(
        resolve(this.host.cwd, this.flags.report),
        this.output.redact(jsonText(reportJson(report))),
      );
      return [];
    } catch (failure) {
      if (failure instanceof Problem) return failure.diagnostics;
      throw failure;
    }
  }
}
