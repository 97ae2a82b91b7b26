import type { ApplyCallbacks, StepEvent } from '../../engine/apply.js';
import type { SessionOptions } from '../../engine/session.js';
import type { LockInfo } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { escapeControls } from '../../view/escape.js';
import {
  pauseLine,
  progressLine,
  readingLine,
  requestLine,
  type StepEnd,
  stepLine,
} from '../../view/text/progress.js';
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
    onLag: (milliseconds: number) => {
      const why = 'an earlier command may have made changes that the service does not show yet';
      this.context.output.err(`Waiting ${Math.ceil(milliseconds / 1000)} s: ${why}.\n`);
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
    `Waiting for ${name}, which has held the lock since ${since}. If the lock is not renewed for ${minutes} min, this command takes it over. To remove it now, run \`roster unlock\`.`,
  );
}

interface ProgressPrinter {
  onStep(event: StepEvent): void;
  end(): void;
}

type Ended = Extract<StepEvent, { type: 'ended' }>;

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
  const printLines = ({ step, state }: Ended) => {
    for (const address of step.addresses) {
      left.set(address, (left.get(address) ?? 1) - 1);
      const { outcome, error } = endOf(address, state);
      // A change of several requests is reported once: with its last one, or with the one that fails.
      if (outcome === 'done' && left.get(address) !== 0) continue;
      const action = changes.get(address)?.action ?? 'none';
      const ended = output.redactor.value({ address, action, outcome, id: null, error });
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

/** A call for several changes may have made some of them. */
function endOf(address: Address, state: Ended['state']): Pick<StepEnd, 'outcome' | 'error'> {
  if (state.outcome === 'done') return { outcome: 'done', error: null };
  if (state.each === undefined) return state;
  return endOf(address, state.each.get(address) ?? { outcome: 'done' });
}

const LEAST_PAUSE_MS = 3_000;
const PAUSE_LINE_EVERY_MS = 60_000;
const READING_AFTER_MS = 1_000;
const REDRAW_EVERY_MS = 100;

interface LogContext {
  readonly host: Pick<Host, 'stderrIsTerminal' | 'env'>;
  readonly output: CommandContext['output'];
}

type RequestLog = Pick<SessionOptions, 'onAttempt' | 'onPause'>;

/**
 * Reports requests on stderr: each one with `-v`, and long waits and reads. A terminal shows waits
 * and reads on a line that the next output replaces. A log gets a line per minute of waiting, and nothing about reads.
 */
export function requestLog(
  { verbose }: { readonly verbose?: boolean },
  { host, output }: LogContext,
): RequestLog {
  if (host.stderrIsTerminal && host.env['CI'] === undefined) return terminalLog(verbose === true, output);
  let quietUntil = 0;
  return {
    onAttempt: (event) => {
      if (verbose === true) output.err(`${requestLine(event)}\n`);
    },
    onPause(milliseconds) {
      const now = performance.now();
      if (milliseconds < LEAST_PAUSE_MS || now < quietUntil) return;
      quietUntil = now + PAUSE_LINE_EVERY_MS;
      output.err(`${pauseLine(milliseconds)}.\n`);
    },
  };
}

function terminalLog(verbose: boolean, output: CommandContext['output']): RequestLog {
  let responses = 0;
  let drawnAt = performance.now();
  const draw = (line: string) => {
    drawnAt = performance.now();
    output.status(line);
  };
  return {
    onAttempt(event) {
      if (verbose) return output.err(`${requestLine(event)}\n`);
      if (event.method !== 'GET') return;
      responses += 1;
      // Not while anything else is printed, such as the progress of an apply.
      if (output.quietMs < READING_AFTER_MS || performance.now() - drawnAt < REDRAW_EVERY_MS) return;
      draw(readingLine(responses));
    },
    onPause(milliseconds) {
      if (milliseconds >= LEAST_PAUSE_MS) draw(pauseLine(milliseconds));
    },
  };
}
