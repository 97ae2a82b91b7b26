import type { Command, Definition, Implementation, Runner } from './command/command.js';
import { commandFirst } from './command/leading-flags.js';
import * as ci from './commands/ci.js';
import * as data from './commands/data.js';
import * as inspect from './commands/inspect.js';
import * as plan from './commands/plan.js';
import * as project from './commands/project.js';
import * as runs from './commands/runs.js';
import * as tools from './commands/tools.js';
import * as watch from './commands/watch.js';

/** Every command, in the order of the help. Program, help, docs, man page and completion are made from this list. */
export const commands: readonly Command[] = [
  ...group('Write a project:', [
    command(project.initCommand, async () => (await import('./init.js')).runInit),
    command(project.validateCommand, async () => (await import('./validate.js')).runValidate),
    command(project.fmtCommand, async () => (await import('./fmt.js')).runFmt),
    command(project.pullCommand, async () => (await import('./pull.js')).runPull),
    command(project.moveCommand, async () => (await import('./move.js')).runMove),
  ]),
  ...group('Plan and apply:', [
    command(plan.planCommand, async () => (await import('./plan.js')).runPlan),
    command(plan.applyCommand, async () => (await import('./apply.js')).runApply),
    command(plan.destroyCommand, async () => (await import('./apply.js')).runDestroy),
  ]),
  ...group('Run and watch:', [
    command(watch.runCommand, async () => (await import('./run.js')).runRun),
    command(watch.waitCommand, async () => (await import('./wait.js')).runWait),
    command(runs.runsCommand, async () => (await import('./runs/read.js')).runRuns),
    command(runs.runsShowCommand, async () => (await import('./runs/read.js')).runRunsShow),
    command(runs.runsRefreshCommand, async () => (await import('./runs/write.js')).runRunsRefresh),
    command(runs.runsStopCommand, async () => (await import('./runs/write.js')).runRunsStop),
    command(runs.runsRetryCommand, async () => (await import('./runs/write.js')).runRunsRetry),
    command(runs.runsAckCommand, async () => (await import('./runs/write.js')).runRunsAck),
    command(runs.runsRmCommand, async () => (await import('./runs/write.js')).runRunsRm),
    command(data.dataCommand, async () => (await import('./data/read.js')).runData),
    command(data.dataPreviewCommand, async () => (await import('./data/read.js')).runDataPreview),
    command(data.dataQueryCommand, async () => (await import('./data/read.js')).runDataQuery),
    command(data.dataSampleCommand, async () => (await import('./data/read.js')).runDataSample),
    command(data.dataCheckCommand, async () => (await import('./data/check.js')).runDataCheck),
    command(data.dataGetCommand, async () => (await import('./data/read.js')).runDataGet),
    command(data.dataLineageCommand, async () => (await import('./data/read.js')).runDataLineage),
    command(data.dataShareCommand, async () => (await import('./data/write.js')).runDataShare),
    command(data.dataRmCommand, async () => (await import('./data/write.js')).runDataRm),
    command(data.dataQueriesCommand, async () => (await import('./data/read.js')).runDataQueries),
    command(data.dataQueriesSaveCommand, async () => (await import('./data/write.js')).runDataQueriesSave),
    command(data.dataQueriesRunCommand, async () => (await import('./data/read.js')).runDataQueriesRun),
    command(data.dataQueriesRmCommand, async () => (await import('./data/write.js')).runDataQueriesRm),
    command(watch.statusCommand, async () => (await import('./status.js')).runStatus),
    command(watch.holdCommand, async () => (await import('./hold.js')).runHold),
    command(watch.resumeCommand, async () => (await import('./hold.js')).runResume),
  ]),
  ...group('Inspect:', [
    command(inspect.driftCommand, async () => (await import('./inspect.js')).runDrift),
    command(inspect.listCommand, async () => (await import('./inspect.js')).runList),
    command(inspect.whyCommand, async () => (await import('./inspect.js')).runWhy),
    command(inspect.snapshotCommand, async () => (await import('./inspect.js')).runSnapshot),
    command(inspect.renderCommand, async () => (await import('./render.js')).runRender),
    command(inspect.graphCommand, async () => (await import('./graph.js')).runGraph),
    command(inspect.calendarCommand, async () => (await import('./calendar.js')).runCalendar),
    command(inspect.logCommand, async () => (await import('./log.js')).runLog),
  ]),
  ...group('In CI:', [
    command(ci.ciCommand, async () => (await import('./ci.js')).runCi),
    command(ci.ciPlanCommand, async () => (await import('./ci.js')).runCiPlan),
    command(ci.ciRecordCommand, async () => (await import('./ci.js')).runCiRecord),
    command(ci.ciShowCommand, async () => (await import('./ci.js')).runCiShow),
    command(ci.ciReviewCommand, async () => (await import('./ci.js')).runCiReview),
    command(ci.ciApplyCommand, async () => (await import('./ci.js')).runCiApply),
    command(ci.ciDriftCommand, async () => (await import('./ci.js')).runCiDrift),
    command(ci.ciDoctorCommand, async () => (await import('./ci.js')).runCiDoctor),
    command(ci.ciPullCommand, async () => (await import('./ci.js')).runCiPull),
  ]),
  ...group('Tools:', [
    command(tools.apiCommand, async () => (await import('./api.js')).runApi),
    command(tools.unlockCommand, async () => (await import('./unlock.js')).runUnlock),
    command(tools.explainCommand, async () => (await import('./tools.js')).runExplain),
    command(tools.sandboxCommand, async () => (await import('./sandbox.js')).runSandbox),
    command(tools.schemaCommand, async () => (await import('./tools.js')).runSchema),
    command(tools.completionCommand, async () => (await import('./tools.js')).runCompletion),
    command(tools.versionCommand, async () => (await import('./tools.js')).runVersion),
    { ...tools.helpCommand, load: null },
  ]),
];

/** The types of arguments, flags and formats are checked here, and only here: commander hands over what it was given. */
export function command<D extends Definition>(
  definition: D,
  load: () => Promise<Implementation<D>>,
): Definition & Pick<Command, 'load'> {
  return { ...definition, load: load as () => Promise<Runner> };
}

function group(heading: string, members: readonly Omit<Command, 'group'>[]): readonly Command[] {
  return members.map((each) => ({ ...each, group: heading }));
}

/** The command that a command line names, or its subcommand. Undefined where it names none. */
export function commandIn(argv: readonly string[]): Command | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  return [3, 2, 1]
    .map((count) => words.slice(0, count).join(' '))
    .map((name) => commands.find((each) => each.name === name))
    .find((each) => each !== undefined);
}

/** A command line with its command first: some flags may stand before it. */
export function ordered(argv: readonly string[]): readonly string[] {
  return commandFirst(argv, new Set(commands.map(({ name }) => name)));
}

/** A command with its subcommands, or all commands if no command has this name. */
export function commandsFor(name: string | undefined): readonly Command[] {
  const found = commands.filter((each) => each.name.split(' ')[0] === name && each.load !== null);
  return found.length > 0 ? found : commands;
}
