import type { Session } from '../../engine/session.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import { pollUntil } from '../../model/poll.js';
import type { Address } from '../../model/resource.js';
import type { ShownState, StoppedRun } from '../../model/run-history.js';
import { ServiceFailure } from '../../service/failure.js';
import { listAgents } from '../../service/operations/agents.js';
import {
  type AgentRunById,
  agentRunWithId,
  anyRunWithId,
  checkedId,
  idKindNames,
  type RunById,
} from '../run/by-id.js';
import { DetailsReader } from '../run/details.js';
import { addressNamed } from '../run/states.js';
import { askToStop, type StopContext, stopRuns as stopFollowed } from '../run/stop.js';
import { wholeAddresses } from './addresses.js';
import { agentRunState, stateNow } from './show.js';

export interface StopResult {
  readonly runs: readonly StoppedRun[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Stops jobs, group runs and pipeline runs by stopping each of their runs, and single runs of agents. What has finished is
 * left alone. Asking again for a stop changes nothing, so a lost answer is asked for again.
 * @throws Problem when nothing was sent.
 */
export async function stopRuns(
  session: Session,
  texts: readonly string[],
  begin: () => void = () => undefined,
): Promise<StopResult> {
  const ids = [...new Set(texts.map(checkedId))];
  const started = await stopContext(session);
  const found = await Promise.all(ids.map((id) => anyRunWithId(started.reader, id)));
  const context = { ...started, addresses: await wholeAddresses(found, session) };
  const before = await Promise.all(found.map((each) => shownState(each, context)));
  const open = found.filter((_, index) => before[index]?.state === 'running');
  if (open.length > 0 && session.interrupted())
    throw problem('interrupted', 'interrupted: nothing was asked to stop');
  if (open.length > 0) begin();
  const after = await stopOpen(open, context);
  const runs = before.map((run): StoppedRun => {
    if (run.state !== 'running') return { ...run, result: 'finished' };
    const now = after.get(run.id) ?? run;
    return { ...now, result: now.state === 'running' ? 'running' : 'stopped' };
  });
  const { unseen, asked } = context;
  const isInterrupted = session.interrupted();
  const unread = [
    ...new Map(unseen.flatMap(({ diagnostics }) => diagnostics.map((each) => [each.message, each]))),
  ];
  const diagnostics = runs.flatMap((each) =>
    unstopped(each, { isAsked: asked.has(each.id), isUnseen: unseen.length > 0, isInterrupted }),
  );
  if (isInterrupted && diagnostics.length > 0) diagnostics.push(INTERRUPTED);
  return { runs, diagnostics: [...session.warnings, ...diagnostics, ...unread.map(([, each]) => each)] };
}

const INTERRUPTED: Diagnostic = {
  severity: 'error',
  code: 'interrupted',
  message: 'interrupted before everything had stopped',
};

interface StopSession extends StopContext {
  readonly asked: Set<string>;
  readonly refusals: Map<string, string>;
  /** The addresses of group runs and pipeline runs, by id. */
  readonly addresses: ReadonlyMap<string, Address>;
  /** Looks that failed after something was asked to stop. */
  readonly unseen: ServiceFailure[];
}

async function stopContext(session: Session): Promise<Omit<StopSession, 'addresses'>> {
  const reader = session.client.reader();
  const asked = new Set<string>();
  const refusals = new Map<string, string>();
  const unseen: ServiceFailure[] = [];
  const { client } = session;
  // Stops that wait for their turn are not sent after an interrupt.
  const guard = () => (session.interrupted() ? 'the command was interrupted' : null);
  return {
    reader,
    client: { read: (call) => client.read(call), send: (request) => client.send(request, guard) },
    interrupted: () => session.interrupted(),
    agents: await reader.readAll(listAgents()),
    details: new DetailsReader(reader),
    asked,
    refusals,
    unseen,
    onAsked: (id) => void asked.add(id),
    onUnseen: (failure) => void unseen.push(failure),
    onRefusal: (id, message) => void refusals.set(id, message),
    sleep: (milliseconds) => session.clock.sleep(milliseconds),
  };
}

async function shownState(run: RunById | AgentRunById, context: StopSession): Promise<ShownState> {
  const { id, idKind } = run;
  if (idKind !== 'run') {
    const known = context.addresses.get(id);
    const now = await stateNow(run, context);
    return { ...now, id, address: now.address ?? known ?? null };
  }
  const state = await agentRunState(run, context.reader);
  const { agentName, statusMessage: message } = run.found;
  return { address: addressNamed(agentName, context.agents), id, idKind, state, message };
}

async function stopOpen(
  open: readonly (RunById | AgentRunById)[],
  context: StopSession,
): Promise<ReadonlyMap<string, ShownState>> {
  const single = open.filter((each) => each.idKind === 'run');
  const whole = open.flatMap(({ id, idKind }) =>
    idKind === 'run' ? [] : [{ id, idKind, address: context.addresses.get(id) ?? null, agents: [] }],
  );
  const [stopped, ...others] = await Promise.all([
    whole.length === 0 ? new Map() : stopFollowed(whole, context),
    ...single.map((each) => stopSingle(each, context)),
  ]);
  const shown = [...stopped].map(
    ([id, run]) => [id, { ...run, id, message: run.message ?? context.refusals.get(id) ?? null }] as const,
  );
  return new Map<string, ShownState>([...shown, ...others.map((each) => [each.id, each] as const)]);
}

async function stopSingle(run: AgentRunById, context: StopSession): Promise<ShownState> {
  await askToStop(run.id, run.id, context);
  const now = await singleAfter(run, context);
  // A stopped run does not say how it ended.
  if (now.state !== 'running') return { ...now, state: 'stopped' };
  return { ...now, message: context.refusals.get(run.id) ?? null };
}

async function singleAfter(run: AgentRunById, context: StopSession): Promise<ShownState> {
  const look = async () => shownState(await agentRunWithId(context.reader, run.id), context);
  try {
    return await pollUntil(look, ({ state }) => state !== 'running', context.sleep);
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    context.unseen.push(failure);
    const { agentName } = run.found;
    const address = addressNamed(agentName, context.agents);
    return { address, id: run.id, idKind: 'run', state: 'running', message: null };
  }
}

interface Asking {
  readonly isAsked: boolean;
  readonly isUnseen: boolean;
  readonly isInterrupted: boolean;
}

function unstopped(
  { result, address, id, idKind, message }: StoppedRun,
  { isAsked, isUnseen, isInterrupted }: Asking,
): readonly Diagnostic[] {
  if (result !== 'running') return [];
  const now = !isAsked
    ? 'was not asked to stop'
    : isUnseen
      ? 'was asked to stop, and it is not known whether it has'
      : 'still runs, although it was asked to stop';
  const name = `${idKindNames[idKind]} ${id}${address === null ? '' : ` (${address})`}`;
  const look = `Look with \`roster runs show ${id}\`, or stop it again.`;
  const why = isInterrupted
    ? 'The command was interrupted first.'
    : 'The service listed no run in it that could be stopped.';
  return [
    {
      severity: 'error',
      code: 'still-running',
      message: `${name} ${now}${message === null ? '' : `: ${message}`}`,
      help: `${isAsked ? 'The service may need a moment.' : why} ${look}`,
    },
  ];
}
