import { dirname, join, resolve } from 'node:path';
import { type Applied, apply as carryOut } from '../apply/apply.js';
import { inventoryAfter } from '../apply/bookkeeping.js';
import { deliver, withdraw, writeSecret } from '../apply/deliver.js';
import type { Verdict } from '../apply/writer.js';
import { writeAtomic } from '../inventory/atomic.js';
import { print } from '../inventory/format.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import { isEmpty, type Plan } from '../model/plan.js';
import type { Report } from '../model/report.js';
import { ServiceFailure } from '../service/failure.js';
import { jsonText } from '../view/json-text.js';
import { reportJson } from '../view/plan-json.js';
import { planText } from '../view/plan-text.js';
import { reportText } from '../view/report-text.js';
import { selectionOf } from './addresses.js';
import { type Answer, confirm } from './confirm.js';
import { exitCode, exitCodeFor } from './exit.js';
import type { Interrupts } from './interrupts.js';
import type { Output } from './output.js';
import { asDiagnostic } from './plan.js';
import { lookOf, present, type Result, tell } from './present.js';
import { progressOf } from './progress.js';
import { compareWithDigest, compareWithSaved } from './saved-plan.js';
import { makePlan, type Observation, openSession, type Session } from './session.js';
import { type ApplyFlags, allowancesOf, type Surroundings, usage } from './settings.js';

type Format = 'text' | 'json';
const formats: readonly Format[] = ['text', 'json'];

/** `roster apply`: plans afresh, shows the plan, asks, and carries out exactly that. */
export function apply(
  addresses: readonly string[],
  flags: ApplyFlags,
  around: Surroundings,
  output: Output,
  interrupts: Interrupts,
): Promise<number> {
  return present({ flags, formats, around, output }, async () => {
    const allow = allowancesOf(flags);
    checkCanAsk(flags, around);
    const session = openSession(flags, around, output);
    try {
      return await new ApplyCommand(addresses, flags, around, output, interrupts, session, allow).run();
    } finally {
      await session.client.close();
    }
  });
}

/** A plan that was reviewed elsewhere needs no second yes: `--expect` and `--plan` name it. */
function checkCanAsk(flags: ApplyFlags, around: Surroundings): void {
  const said = flags.yes === true || flags.expect !== undefined || flags.plan !== undefined;
  if (said || around.stdinIsTerminal) return;
  throw new Problem(
    usage('there is no terminal to ask on', 'say --yes, or --expect DIGEST for the plan that was reviewed'),
  );
}

class ApplyCommand {
  constructor(
    readonly addresses: readonly string[],
    readonly flags: ApplyFlags,
    readonly around: Surroundings,
    readonly output: Output,
    readonly interrupts: Interrupts,
    readonly session: Session,
    readonly allow: ReturnType<typeof allowancesOf>,
  ) {}

  async run(): Promise<Result<Format>> {
    const observation = await this.plan();
    const { plan, warnings } = this.understood(observation);
    if (this.format === 'text') {
      tell(this, warnings);
      if (!isEmpty(plan) || plan.objections.length > 0) this.output.out(`${planText(plan, lookOf(this))}\n`);
    }
    this.refuse(plan);
    if (isEmpty(plan)) return this.nothingToDo(plan, observation);
    const answer = await this.ask(plan);
    if (answer === 'interrupted' || this.interrupts.requested()) throw new Problem(interruptedDiagnostic);
    if (answer === 'no') return this.cancelled(plan);
    return this.carryOut(plan, observation);
  }

  private get format(): Format {
    return this.flags.format === 'json' ? 'json' : 'text';
  }

  private plan(): Promise<Observation> {
    return makePlan(this.session, this.allow, selectionOf(this.addresses), new Date());
  }

  private understood({ reconciled }: Observation): { plan: Plan; warnings: readonly Diagnostic[] } {
    const diagnostics = [...this.session.warnings, ...reconciled.diagnostics];
    if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    return { plan: { ...reconciled.plan, diagnostics }, warnings: diagnostics };
  }

  private refuse(plan: Plan): void {
    const { expect, plan: file } = this.flags;
    const refusals = [
      ...plan.objections.map(asDiagnostic),
      ...(expect === undefined ? [] : compareWithDigest(plan, expect)),
      ...(file === undefined ? [] : compareWithSaved(plan, resolve(this.around.cwd, file))),
    ];
    if (refusals.length > 0) throw new Problem(refusals);
    if (this.interrupts.requested()) throw new Problem(interruptedDiagnostic);
  }

  private async ask(plan: Plan): Promise<Answer> {
    const { yes, expect, plan: file } = this.flags;
    if (yes === true || expect !== undefined || file !== undefined) return 'yes';
    const question = `Apply this plan to ${plan.service}?\nOnly 'yes' will be accepted: `;
    return confirm(question);
  }

  private cancelled(plan: Plan): Result<Format> {
    const diagnostic: Diagnostic = {
      severity: 'error',
      code: 'not-allowed',
      message: 'not confirmed: nothing was changed',
    };
    const skipped = plan.changes
      .filter((each) => each.action !== 'none')
      .map(({ address, id }) => ({ address, id, outcome: 'skipped' as const, error: 'not confirmed' }));
    const report: Report = {
      plan,
      outcomes: skipped,
      converged: false,
      interrupted: false,
      diagnostics: [...plan.diagnostics, diagnostic],
    };
    return {
      exit: exitCode.error,
      diagnostics: [diagnostic],
      render: (format) => (format === 'json' ? jsonText(reportJson(report)) : ''),
    };
  }

  /** No request, but what is ours may have to be written down: a `protect` that changed, a difference made good outside. */
  private async nothingToDo(plan: Plan, { inventory, reconciled }: Observation): Promise<Result<Format>> {
    const ids = new Map(
      plan.changes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])),
    );
    const after = inventoryAfter(inventory, { plan, records: reconciled.records }, [], ids);
    if (print(after) !== print(inventory)) await this.locked(inventory, (save) => save(after));
    return this.result({
      plan,
      outcomes: [],
      converged: true,
      interrupted: false,
      diagnostics: plan.diagnostics,
    });
  }

  private async carryOut(plan: Plan, observation: Observation): Promise<Result<Format>> {
    const applied = await this.locked(observation.inventory, (save) =>
      this.runSteps(plan, observation, save),
    );
    const diagnostics = [...plan.diagnostics, ...applied.diagnostics];
    const settled = applied.outcomes.every((each) => each.outcome === 'done');
    const unread = this.flags.verify === false || applied.interrupted || endsOwnAccess(observation, applied);
    const left = unread ? null : await this.readBack();
    const converged = left === null ? (settled ? null : false) : left.length === 0 && settled;
    return this.result({
      plan,
      outcomes: applied.outcomes,
      converged,
      interrupted: applied.interrupted,
      diagnostics: [...diagnostics, ...(settled ? (left ?? []) : [])],
    });
  }

  private async runSteps(
    plan: Plan,
    { world, inventory, reconciled }: Observation,
    save: (inventory: Inventory) => Promise<void>,
  ): Promise<Applied> {
    const { client, project } = this.session;
    const progress = progressOf(
      plan,
      this.output,
      this.around.stderrIsTerminal && this.around.env['CI'] === undefined,
      this.around.columns ?? 80,
    );
    try {
      return await carryOut({
        plan,
        kinds,
        records: reconciled.records,
        drafts: reconciled.drafts,
        observed: world.objects,
        inventory,
        save,
        writer: {
          send: (request) => client.send(request),
          reader: client.reader(),
          useKey: (key) => this.session.useKey(key),
        },
        judge,
        concurrency: this.session.concurrency,
        interrupted: () => this.interrupts.requested(),
        onStep: (event) => progress.onStep(event),
        keys: {
          deliver: (delivery, key) => {
            this.output.hide([key]);
            return deliver(delivery, project.root, key);
          },
          withdraw: (delivery) => withdraw(delivery, project.root),
          rescue: (key) => this.rescue(key),
        },
        sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
      });
    } finally {
      progress.end();
    }
  }

  /** Holds the lock for as long as `work` takes, and refuses when another run came first. */
  private async locked<T>(
    expected: Inventory,
    work: (save: (inventory: Inventory) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const lock = await this.session.store.lock();
    try {
      if (print(await this.session.store.load()) !== print(expected)) {
        throw new Problem({
          severity: 'error',
          code: 'stale-plan',
          message: 'the inventory changed while this plan was made',
          help: 'another run has applied: plan again',
        });
      }
      return await work((inventory) => lock.save(inventory));
    } finally {
      await lock.release();
    }
  }

  /** A key that could not be delivered is kept beside the inventory, readable by its owner alone. */
  private rescue(key: string): string {
    const { project } = this.session;
    const base =
      'file' in project.inventory ? dirname(resolve(project.root, project.inventory.file)) : project.root;
    const path = join(base, `roster-rescued-key-${Date.now()}`);
    writeSecret(path, key);
    return path;
  }

  /** Plans once more: whatever is left is told. */
  private async readBack(): Promise<readonly Diagnostic[]> {
    try {
      const { reconciled } = await this.plan();
      if (reconciled.plan === null) return reconciled.diagnostics.filter((each) => each.severity === 'error');
      return reconciled.plan.changes
        .filter((each) => each.action !== 'none')
        .map((change) =>
          notConverged(
            change.address,
            change.action,
            change.fields.map((field) => field.path),
          ),
        );
    } catch (failure) {
      if (failure instanceof Problem) return failure.diagnostics;
      throw failure;
    }
  }

  private async result(report: Report): Promise<Result<Format>> {
    const json = jsonText(reportJson(report));
    if (this.flags.report !== undefined)
      await writeAtomic(resolve(this.around.cwd, this.flags.report), this.output.redact(json));
    const own = report.diagnostics.slice(report.plan.diagnostics.length);
    return {
      exit: exitOf(report),
      diagnostics: own,
      render: (format, look) => (format === 'json' ? json : reportText(report, look)),
    };
  }
}

const interruptedDiagnostic: Diagnostic = {
  severity: 'error',
  code: 'interrupted',
  message: 'interrupted: nothing was changed',
};

/** The key that roster calls with is gone, as was asked for: there is nothing left to read back with. */
function endsOwnAccess({ reconciled }: Observation, { outcomes }: Applied): boolean {
  const done = new Set(outcomes.filter((each) => each.outcome === 'done').map((each) => each.address));
  return reconciled.matches.some(
    ({ address, entry, observed }) => entry === null && observed?.caller === true && done.has(address),
  );
}

function exitOf(report: Report): number {
  if (report.interrupted) return exitCode.interrupted;
  const settled = report.outcomes.every((each) => each.outcome === 'done');
  if (!settled || report.converged === false || hasErrors(report.diagnostics)) return exitCode.incomplete;
  return exitCodeFor(report.diagnostics);
}

function notConverged(address: string, action: string, fields: readonly string[]): Diagnostic {
  const where = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  const message = `${address} is not as declared after the apply: it would need "${action}"${where}`;
  const help =
    'somebody may be changing it at the same time, or the service stores it differently: run roster plan';
  return { severity: 'error', code: 'not-converged', message, help };
}

function judge(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const message = failure.diagnostics.map((each) => each.message).join('; ');
  return {
    certainty: failure.certainty,
    gone: failure.status === 404,
    unauthorized: failure.status === 401,
    message,
  };
}
