import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type Session, withSession } from '../engine/session.js';
import { readRegular } from '../files/atomic.js';
import { withoutMark } from '../files/given-file.js';
import { problem } from '../model/diagnostic.js';
import { writeJson } from '../model/exact-number.js';
import { inexactNumberIn, isJsonObject, type JsonObject, parseJson } from '../model/json.js';
import { openFolder, RunSaver, toFolder, toRecords } from '../operate/data/download.js';
import { chooseChanged } from '../operate/run/changed.js';
import { holdFailed } from '../operate/run/hold-failed.js';
import { chooseMissed } from '../operate/run/missed.js';
import { type RunCallbacks, type RunOptions, run } from '../operate/run/run.js';
import { findApiKeys } from '../redact/redactor.js';
import { savedLine } from '../view/data/data-text.js';
import { recordLine } from '../view/data/rows.js';
import { chosenText, startQuestion } from '../view/text/run-text.js';
import type { FlagsOf, RunContext } from './command/command.js';
import { chooseDuration, runSessionOptions, sessionOptions, wholeNumber } from './command/flags.js';
import { renderOptions } from './command/run-command.js';
import { runPrinter, runResult } from './command/run-output.js';
import type { runCommand } from './commands/watch.js';
import { logProgress } from './data/download-progress.js';
import { confirmOrRefuse } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

type RunFlags = FlagsOf<typeof runCommand>;

/**
 * `roster run ADDRESS…`: starts what is declared, or an agent, and follows it to its end.
 * @param ofCommit with `--changed`: nothing is started if the last apply was of another commit.
 */
export const runRun = async (
  addresses: readonly string[],
  flags: RunFlags,
  context: RunContext,
  ofCommit?: string,
) => {
  checkSave(flags);
  const options = await runOptions(addresses, flags, context, ofCommit);
  const isStdout = savesToStdout(flags);
  const printer = runPrinter(flags, context, isStdout);
  try {
    const found = await withSession(startSessionOptions(addresses, flags, context), async (session) => {
      const saver = flags.save === undefined ? null : runSaver(session, flags.save, context, printer.note);
      const onRuns: RunCallbacks['onRuns'] = (runs) => {
        printer.onRuns(runs);
        saver?.onRuns(runs);
      };
      const ended = await run(session, addresses, options, {
        ...chosenCallbacks(session, flags, context),
        onBegin: context.begin,
        onRuns,
      });
      const held = flags.holdOnFailure === true ? await holdFailed(session, ended, context.host.env) : [];
      // If there are errors, only these lines show the holds, which somebody must end.
      for (const { code, message } of held) if (code === 'held') printer.note(message);
      const all = { ...ended, diagnostics: [...ended.diagnostics, ...held] };
      return saver === null ? { ended: all } : { ended: await saver.finish(all), saved: saver.saved };
    });
    const result = runResult(found.ended, context, found.saved);
    if (found.ended.runs.length === 0) return nothingStarted(result);
    return isStdout ? await onStderr(result, flags, context) : result;
  } finally {
    printer.end();
  }
};

/** With `--save -`, stdout is for records alone. */
async function onStderr(
  result: ReturnType<typeof runResult>,
  flags: RunFlags,
  { host, output }: CommandContext,
): Promise<ReturnType<typeof runResult>> {
  output.err(await result.render.text(renderOptions(flags, host, 'stderr')));
  return { ...result, render: { ...result.render, text: () => '' } };
}

function isChoosing({ missed = false, failed = false, changed = false }: RunFlags): boolean {
  return missed || failed || changed;
}

/** Flags of which another one has no effect. */
interface Condition {
  holds(flags: RunFlags): boolean;
  readonly why: string;
  readonly help: string;
}

const detached: Condition = {
  holds: ({ detach = false }) => detach,
  why: 'with `--detach`',
  help: 'Omit one of them.',
};
const choosing: Condition = {
  holds: isChoosing,
  why: 'with `--missed`, `--failed` and `--changed`',
  help: 'Omit one of them.',
};
const notChoosing: Condition = {
  holds: (flags) => !isChoosing(flags),
  why: 'without `--missed`, `--failed` or `--changed`',
  help: 'Omit it.',
};
const notMissed: Condition = {
  holds: ({ missed = false, failed = false }) => !missed && !failed,
  why: 'without `--missed` or `--failed`',
  help: 'Omit it.',
};
const notChanged: Condition = {
  holds: ({ changed = false }) => !changed,
  why: 'without `--changed`',
  help: 'Omit it.',
};

/** When a flag has no effect. */
const withoutEffect: readonly (readonly [name: keyof RunFlags, flag: string, when: Condition])[] = [
  ['for', '--for', detached],
  ['save', '--save', detached],
  ['retryNotStarted', '--retry-not-started', detached],
  ['stopOnInterrupt', '--stop-on-interrupt', detached],
  ['holdOnFailure', '--hold-on-failure', detached],
  ['declared', '--declared', choosing],
  ['input', '-i', choosing],
  ['inputs', '--inputs', choosing],
  ['yes', '--yes', notChoosing],
  ['since', '--since', notMissed],
  ['holdOnFailure', '--hold-on-failure', notChanged],
];

function refuseFlagsWithoutEffect(addresses: readonly string[], flags: RunFlags): void {
  const { missed = false, failed = false, changed = false } = flags;
  const useless = withoutEffect.find(([name, , when]) => flags[name] !== undefined && when.holds(flags));
  if (useless !== undefined) {
    const [, flag, { why, help }] = useless;
    throw problem('usage', `\`${flag}\` has no effect ${why}`, help);
  }
  if (changed && (missed || failed))
    throw problem('usage', '`--changed` cannot be used with `--missed` or `--failed`', 'Omit one of them.');
  if (addresses.length === 0 && !isChoosing(flags))
    throw problem(
      'usage',
      'no address is given',
      'Pass addresses such as `group/retail-prices`, or `--missed`.',
    );
}

/** What is missed is known of a project only. */
function startSessionOptions(addresses: readonly string[], flags: RunFlags, context: CommandContext) {
  // The applied entries had no errors then: running them proves nothing about entries that cannot be read now.
  const without = flags.changed === true ? 'values' : 'settings';
  return isChoosing(flags)
    ? sessionOptions(flags, context, without)
    : runSessionOptions(addresses, flags, context);
}

function chosenCallbacks(
  { service }: Session,
  { yes = false }: RunFlags,
  { host, output }: CommandContext,
): Pick<RunCallbacks, 'onChosen' | 'confirm'> {
  return {
    onChosen: (chosen) => output.err(chosenText(output.redactor.value(chosen))),
    confirm: yes
      ? undefined
      : async ({ starts }, agents) =>
          confirmOrRefuse(output.redactor.value(startQuestion(starts.length, agents, service)), host),
  };
}

function nothingStarted(result: ReturnType<typeof runResult>): ReturnType<typeof runResult> {
  return { ...result, render: { ...result.render, text: () => 'Nothing to start.\n' } };
}

async function runOptions(
  addresses: readonly string[],
  flags: RunFlags,
  { host }: CommandContext,
  ofCommit: string | undefined,
): Promise<RunOptions> {
  refuseFlagsWithoutEffect(addresses, flags);
  const { declared, detach, stopOnInterrupt, maxStarts, retryNotStarted } = flags;
  return {
    choose: chooserOf(addresses, flags, ofCommit),
    inputs: await runInputs(flags, host.cwd),
    forMilliseconds: chooseDuration(flags.for, '--for'),
    declared,
    detach,
    stopOnInterrupt,
    maxStarts: maxStarts === undefined ? undefined : wholeNumber(maxStarts, '--max-starts', 1, 10_000),
    retryNotStarted:
      retryNotStarted === undefined ? undefined : wholeNumber(retryNotStarted, '--retry-not-started', 0, 100),
  };
}

function chooserOf(
  addresses: readonly string[],
  flags: RunFlags,
  ofCommit: string | undefined,
): RunOptions['choose'] {
  const { missed = false, failed = false, changed = false, since = '24h' } = flags;
  if (changed) return (session) => chooseChanged(session, addresses, ofCommit);
  return missed || failed
    ? (session) => chooseMissed(session, { addresses, since, missed, failed })
    : undefined;
}

interface InputFlags {
  readonly input?: readonly string[];
  readonly inputs?: string;
}

/** The inputs of `--inputs FILE|-` and `-i KEY=VALUE`; of a key in both, the latter counts. */
export async function runInputs({ input = [], inputs }: InputFlags, cwd: string): Promise<JsonObject> {
  const fromFile = inputs === undefined ? {} : await fileInputs(inputs, cwd);
  const given = new Map<string, string>();
  for (const each of input) {
    const at = each.indexOf('=');
    if (at < 1) throw problem('usage', `-i: "${each}" is not KEY=VALUE`, 'For example: `-i country=DE`.');
    const key = each.slice(0, at);
    if (given.has(key)) throw problem('usage', `-i: "${key}" is set twice`);
    given.set(key, each.slice(at + 1));
  }
  const all = { ...fromFile, ...Object.fromEntries(given) };
  if (findApiKeys(writeJson(all)).length > 0)
    throw problem(
      'unsafe-text',
      'an input contains an API key',
      'Inputs are stored and shown by the service.',
    );
  return all;
}

async function fileInputs(file: string, cwd: string): Promise<JsonObject> {
  const value = parseJson(await contentOf(file, cwd));
  if (isJsonObject(value)) return checkedNumbers(value);
  const where = file === '-' ? 'stdin' : `"${file}"`;
  const what = value === undefined ? 'JSON, or is nested too deeply' : 'a JSON object';
  throw problem('usage', `--inputs: ${where} is not ${what}`, 'For example: `{ "country": "DE" }`.');
}

/** As in a manifest: whoever reads the inputs, an agent among them, would most likely round it. */
function checkedNumbers(inputs: JsonObject): JsonObject {
  const path = inexactNumberIn(inputs);
  if (path === null) return inputs;
  throw problem(
    'inexact-number',
    `--inputs: the number in "${path.join('.')}" cannot be stored exactly`,
    'Put it in quotes to send it as text.',
  );
}

async function contentOf(file: string, cwd: string): Promise<string> {
  if (file === '-') return withoutMark(await readText(process.stdin), 'stdin');
  const name = `the file "${file}" of --inputs`;
  const text = readRegular(resolve(cwd, file), name);
  if (text === null) throw problem('unreadable-file', `--inputs: there is no file "${file}"`);
  return withoutMark(text, name);
}

const STDOUT = '-';

/** Whether stdout gets records instead of the result. */
export function savesToStdout({ save }: { readonly save?: string }): boolean {
  return save === STDOUT;
}

/** Records and the result cannot share stdout. Throws a Problem. */
export function checkSave(flags: { readonly save?: string; readonly format?: string }): void {
  if (!savesToStdout(flags) || flags.format === undefined || flags.format === 'text') return;
  const help = `Write the result to a file: \`--write ${flags.format}=FILE\`.`;
  throw problem('usage', `\`--save -\` and \`--format ${flags.format}\` both write to stdout`, help);
}

/** For `--save DIR` and `--save -`, before anything is started. Throws a Problem. */
export function runSaver(
  session: Session,
  save: string,
  { host, output }: CommandContext,
  note: (line: string) => void,
): RunSaver {
  if (save === STDOUT) {
    const write = writerTo(output);
    const records = toRecords(session, ({ address }, dataset, rows) => {
      const lines = output.redactor.value(rows).map((row) => recordLine(address, dataset, row));
      write(lines.join(''));
      return output.arrives;
    });
    return new RunSaver(session, records, () => undefined);
  }
  const folder = openFolder(save, host.cwd, '--save');
  const onProgress = logProgress(note);
  return new RunSaver(session, toFolder(session, { folder, onProgress }), (saved) =>
    note(savedLine(saved, save)),
  );
}

/** After a failure, such as a full disk, nothing that follows arrives either: it must not pass for saved. */
function writerTo(output: CommandContext['output']): (text: string) => void {
  let failed: { readonly reason: unknown } | null = null;
  return (text) => {
    if (failed !== null) throw failed.reason;
    try {
      output.out(text);
    } catch (reason) {
      failed = { reason };
      throw reason;
    }
  };
}
