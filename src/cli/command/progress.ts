import type { ApplyCallbacks, StepEvent } from '../../engine/apply.js';
import type { LockInfo } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { escapeControls } from '../../view/escape.js';
import { progressLine, stepLine } from '../../view/text/progress.js';
import { type CommandContext, defaultWidth, type Host } from '../host/host.js';
import type { Output } from '../host/output.js';

/** What a run that takes the lock says on stderr: whom it waits for, and which changes it has made. */
export class RunReporter {
  private progress: ProgressPrinter | undefined;
  private waitedFor: string | null = null;

  /** `begin` is called before each change. */
  constructor(
    private readonly context: CommandContext,
    private readonly begin: () => void,
  ) {}

  /** The plan whose changes will be made. */
  expect(plan: Plan): void {
    const { host, output } = this.context;
    this.progress = progressOf(plan, host, output);
  }

  readonly callbacks = {
    onWait: (holder: LockInfo) => {
      // Each run is reported once.
      if (this.waitedFor === holder.name) return;
      this.waitedFor = holder.name;
      const { output } = this.context;
      output.err(output.redactor.value(`${waitText(holder)}\n`));
    },
    onStep: (event: StepEvent) => {
      this.begin();
      this.progress?.onStep(event);
    },
    onStepsEnded: () => this.progress?.end(),
  } satisfies ApplyCallbacks;
}

function waitText({ name, since, takeOverMs }: LockInfo): string {
  const minutes = Math.ceil(takeOverMs / 60_000);
  return escapeControls(
    `Waiting for ${name}, which has held the lock since ${since}. If the lock is not renewed for ${minutes} min, this run takes it over. To remove it now, run \`roster unlock\`.`,
  );
}

interface ProgressPrinter {
  onStep(event: StepEvent): void;
  end(): void;
}

/** Writing thousands of lines one by one would take a tenth of an apply. */
const WRITE_AFTER_MS = 50;

class LineBuffer {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly write: (text: string) => void) {}

  add(line: string): void {
    this.text += line;
    this.timer ??= setTimeout(() => this.flush(), WRITE_AFTER_MS);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.text !== '') this.write(this.text);
    this.text = '';
  }
}

/** On a terminal, one line that is redrawn; elsewhere, a line for each change that ended. */
function progressOf(plan: Plan, host: Host, output: Output): ProgressPrinter {
  const terminal = host.stderrIsTerminal && host.env['CI'] === undefined;
  const width = host.columns ?? defaultWidth;
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const running = new Map<string, readonly Address[]>();
  const left = new Map(plan.changes.map((change) => [change.address, change.steps.length]));
  let done = 0;
  const lines = new LineBuffer((text) => output.err(text));
  const draw = () => {
    const addresses = [...running.values()].flat();
    output.err(
      `\r\u001b[2K${progressLine({ done, total: plan.steps.length, running: output.redactor.value(addresses), width })}`,
    );
  };
  const printLines = ({ step, state }: Extract<StepEvent, { type: 'ended' }>) => {
    for (const address of step.addresses) {
      left.set(address, (left.get(address) ?? 1) - 1);
      // A change of several requests is reported once: with its last one, or with the one that fails.
      if (state.outcome === 'done' && left.get(address) !== 0) continue;
      const action = changes.get(address)?.action ?? 'none';
      const error = state.outcome === 'done' ? null : state.error;
      const ended = output.redactor.value({ address, action, outcome: state.outcome, id: null, error });
      lines.add(`${stepLine(ended)}\n`);
    }
  };
  return {
    onStep(event) {
      if (event.type === 'begun') running.set(event.step.id, event.step.addresses);
      else {
        running.delete(event.step.id);
        done += 1;
        if (!terminal) printLines(event);
      }
      if (terminal) draw();
    },
    end() {
      lines.flush();
      if (terminal && plan.steps.length > 0) output.err('\r\u001b[2K');
    },
  };
}
