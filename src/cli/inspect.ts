import { resolve } from 'node:path';
import { drift } from '../engine/drift.js';
import { list } from '../engine/list.js';
import { AGENTS, listable, listableKind } from '../engine/listable.js';
import { withReadSession } from '../engine/session.js';
import { snapshot } from '../engine/snapshot.js';
import { why } from '../engine/why.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { suggest } from '../manifest/suggest.js';
import { hasErrors, problem } from '../model/diagnostic.js';
import { escapeJson, jsonText } from '../view/json/diagnostics-json.js';
import { driftJson, listJson, whyJson, whysJson } from '../view/json/plan-json.js';
import { driftMarkdown } from '../view/markdown/drift-markdown.js';
import { driftText } from '../view/text/drift-text.js';
import { listText } from '../view/text/list-text.js';
import { snapshotSaved, snapshotSavedJson } from '../view/text/snapshot-text.js';
import { whyText } from '../view/text/why-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { exitCode, exitCodeFor } from './command/exit.js';
import { chosenSelection, needsNoProject, sessionOptions } from './command/flags.js';
import { readShown } from './command/results.js';
import type { driftCommand, listCommand, snapshotCommand, whyCommand } from './commands/inspect.js';
import type { Output } from './host/output.js';
import { sourceLinks } from './host/repository.js';

/** `roster drift`: what was changed outside roster since the last apply. Exit code 2 if anything was. */
export const runDrift: Implementation<typeof driftCommand> = async (addresses, flags, context) => {
  const { host, output } = context;
  const urlOf = sourceLinks(flags, host);
  const options = sessionOptions(flags, context, 'settings');
  const shown = await readShown(options, context, (session) =>
    drift(session, {
      ...chosenSelection(addresses, flags),
      allowAccountChange: flags.allowAccountChange,
    }),
  );
  const found = shown.changes.length > 0 ? exitCode.changes : exitCode.fine;
  return {
    // What is not known must not look like no drift.
    exit: hasErrors(shown.diagnostics) ? exitCodeFor(shown.diagnostics) : found,
    diagnostics: shown.diagnostics,
    render: {
      text: (style) => driftText(shown, style),
      json: () => jsonText(driftJson(shown)),
      markdown: ({ verbose }) =>
        driftMarkdown(shown, { urlOf, verbose, measure: (text) => output.redactor.text(text).length }),
    },
  };
};

type ListFlags = FlagsOf<typeof listCommand>;

/** `roster list [KIND]`: what exists on the service, with the addresses of what is declared. */
export const runList: Implementation<typeof listCommand> = async (kind, flags, context) => {
  const { unmanaged = false, inputs = false, unused = false, policies = false, allowAccountChange } = flags;
  const section = kind === undefined ? undefined : sectionNamed(kind);
  checkFlags(section, { unmanaged, inputs, unused, policies });
  const options = { ...sessionOptions(flags, context), orNone: !unmanaged && needsNoProject(flags) };
  const shown = await readShown(options, context, (session) =>
    list(session, { section, unmanaged, unused, policies, allowAccountChange }),
  );
  return {
    exit: exitCode.fine,
    diagnostics: shown.diagnostics,
    render: {
      text: (style) => listText(shown, { ...style, unmanaged, inputs, unused }),
      json: () => jsonText(listJson(shown, inputs)),
    },
  };
};

function sectionNamed(kind: string): string {
  const shown = listableKind(kind);
  if (shown !== null) return shown;
  const near = suggest(kind, listable);
  const hint = near === null ? `One of: ${listable.join(', ')}.` : `Did you mean ${near}?`;
  throw problem('usage', `there is no kind "${kind}"`, hint);
}

function checkFlags(
  section: string | undefined,
  {
    unmanaged,
    inputs,
    unused,
    policies,
  }: Required<Pick<ListFlags, 'unmanaged' | 'inputs' | 'unused' | 'policies'>>,
) {
  if (policies && !unmanaged)
    throw problem(
      'usage',
      '`--policies` is for `--unmanaged` only',
      'Use `roster list --unmanaged --policies`. `roster validate` judges what is declared.',
    );
  if (inputs && section !== AGENTS)
    throw problem('usage', '`--inputs` is for agents only', 'Use `roster list agents --inputs`.');
  if (unused && section !== AGENTS)
    throw problem('usage', '`--unused` is for agents only', 'Use `roster list agents --unused`.');
  if (unmanaged && section === AGENTS)
    throw problem('usage', '`--unmanaged` has no effect on agents: roster never manages them', 'Omit it.');
}

/** `roster why ADDRESS…`: which remote object each is matched with, by which rule, what differs, and what is ignored. */
export const runWhy: Implementation<typeof whyCommand> = async (addresses, flags, context) => {
  const options = sessionOptions(flags, context, 'entries');
  const { allowAccountChange } = flags;
  const { whys, plan, warnings } = await readShown(options, context, (session) =>
    why(session, addresses, { allowAccountChange }),
  );
  const [only] = whys;
  // The JSON of one address is that of a resource, and that of anything else a list, however many a glob matches.
  const isOne = only !== undefined && addresses.length === 1 && addresses[0] === only.address;
  return {
    diagnostics: warnings,
    render: {
      text: (style) => whyText(whys, plan, style),
      json: () => jsonText(isOne ? whyJson(only, plan, warnings) : whysJson(whys, plan, warnings)),
    },
  };
};

/** `roster snapshot`: the observed state without secrets, for those who have no API key. Sends reads only. */
export const runSnapshot: Implementation<typeof snapshotCommand> = async (flags, context) => {
  const { out, allowAccountChange } = flags;
  const path = out === undefined ? null : resolve(context.host.cwd, out);
  if (path !== null) checkWritable(path);
  const options = sessionOptions(flags, context, 'entries');
  const taken = await withReadSession(options, (session) => snapshot(session, { allowAccountChange }));
  const text = escapeJson(taken.text);
  if (path === null) checkIntact(text, context.output);
  else await writeAtomic(path, text);
  const { snapshot: saved, warnings } = taken;
  return {
    diagnostics: warnings,
    render: {
      text: () => (out === undefined ? text : snapshotSaved(saved, out)),
      json: () => (out === undefined ? text : jsonText(snapshotSavedJson(saved, out, warnings))),
    },
  };
};

/** Values that are masked in every output would be missing in this one. */
function checkIntact(text: string, { redactor }: Output): void {
  if (redactor.text(text) === text) return;
  const message = 'the snapshot happens to contain a value from the environment, so it cannot be printed';
  throw problem('invalid-snapshot', message, 'Save it to a file: `roster snapshot --out FILE`.');
}
