/** What a command does: help, the reference and completion read it, and tests hold the commands to it. */
export interface Declaration {
  /** Changes nothing on the service or in the inventory, and writes only files that its flags name. Gets a session that cannot write. */
  readonly readOnly: boolean;
  /** May delete something that it cannot restore. */
  readonly destructive: boolean;
  /** Sends requests to the service, with the API key. */
  readonly needsKey: boolean;
  /** What an interrupt ends. `steps`: the requests in flight are finished. `service`: it runs until it is interrupted. Default: the process. */
  readonly interruptEnds?: 'steps' | 'service';
  /** What to do after a second interrupt, which finishes nothing. */
  readonly afterStop?: string;
  /** The values of `--format`, the default first. */
  readonly formats: readonly ['text', ...string[]];
}

const offline = { readOnly: true, destructive: false, needsKey: false } as const;
const reading = { readOnly: true, destructive: false, needsKey: true } as const;
const writing = { readOnly: false, destructive: false, needsKey: false } as const;

const again = 'Stopped at once. Run it again: it finishes what was begun.';
const active = 'Stopped at once. Runs may still be active: `roster runs --state active` lists them.';

/** Every command, by name. */
export const declarations = {
  init: { ...writing, formats: ['text', 'json'] },
  validate: { ...offline, formats: ['text', 'json', 'github', 'sarif'] },
  plan: { ...reading, formats: ['text', 'json', 'markdown', 'html', 'github', 'gitlab'] },
  apply: {
    readOnly: false,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    afterStop: again,
    formats: ['text', 'json'],
  },
  destroy: {
    readOnly: false,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    afterStop: again,
    formats: ['text', 'json'],
  },
  hold: { ...writing, needsKey: true, interruptEnds: 'steps', afterStop: again, formats: ['text', 'json'] },
  resume: { ...writing, needsKey: true, interruptEnds: 'steps', afterStop: again, formats: ['text', 'json'] },
  drift: { ...reading, formats: ['text', 'json', 'markdown'] },
  pull: { ...writing, needsKey: true, formats: ['text', 'json', 'diff'] },
  list: { ...reading, formats: ['text', 'json'] },
  why: { ...reading, formats: ['text', 'json'] },
  // Starts run on the service: an interrupt ends only following them.
  run: {
    ...writing,
    needsKey: true,
    interruptEnds: 'steps',
    afterStop: active,
    formats: ['text', 'json', 'junit'],
  },
  wait: { ...reading, interruptEnds: 'steps', afterStop: active, formats: ['text', 'json', 'junit'] },
  status: { ...reading, formats: ['text', 'json', 'markdown', 'junit'] },
  runs: { ...reading, formats: ['text', 'json'] },
  'runs show': { ...reading, formats: ['text', 'json'] },
  // It only makes the service look again, and it may report a lost run as failed.
  'runs refresh': { ...writing, needsKey: true, formats: ['text', 'json'] },
  'runs stop': {
    ...writing,
    needsKey: true,
    interruptEnds: 'steps',
    afterStop: active,
    formats: ['text', 'json'],
  },
  'runs retry': {
    ...writing,
    needsKey: true,
    interruptEnds: 'steps',
    afterStop: active,
    formats: ['text', 'json'],
  },
  'runs ack': { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json'] },
  'runs rm': {
    ...writing,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    formats: ['text', 'json'],
  },
  snapshot: { ...reading, formats: ['text', 'json'] },
  api: { ...writing, destructive: true, needsKey: true, formats: ['text', 'json'] },
  data: { ...reading, formats: ['text', 'json'] },
  'data preview': { ...reading, formats: ['text', 'json', 'csv', 'jsonl'] },
  'data query': { ...reading, formats: ['text', 'json', 'csv', 'jsonl'] },
  // An interrupt removes what has arrived of a file.
  'data get': { ...reading, interruptEnds: 'steps', formats: ['text', 'json'] },
  'data lineage': { ...reading, formats: ['text', 'mermaid', 'dot', 'json'] },
  'data share': { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json'] },
  'data rm': {
    ...writing,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    formats: ['text', 'json'],
  },
  'data queries': { ...reading, formats: ['text', 'json'] },
  'data queries save': { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json'] },
  'data queries run': { ...reading, formats: ['text', 'json', 'csv', 'jsonl'] },
  'data queries rm': {
    ...writing,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    formats: ['text', 'json'],
  },
  calendar: { ...offline, formats: ['text', 'json', 'html', 'svg'] },
  graph: { ...offline, formats: ['text', 'mermaid', 'dot', 'json'] },
  log: { ...offline, formats: ['text', 'json'] },
  fmt: { ...writing, formats: ['text', 'json'] },
  // If the run is still alive, it loses its lock.
  unlock: { ...writing, destructive: true, formats: ['text', 'json'] },
  explain: { ...offline, formats: ['text', 'json'] },
  sandbox: { ...offline, interruptEnds: 'service', formats: ['text', 'json'] },
  schema: { ...offline, formats: ['text', 'json'] },
  completion: { ...offline, formats: ['text', 'json'] },
  version: { ...offline, formats: ['text', 'json'] },
  help: { ...offline, formats: ['text'] },
} as const satisfies Readonly<Record<string, Declaration>>;

export type CommandName = keyof typeof declarations;

/** The command that a command line names, or its subcommand. Undefined where it names none. */
export function declarationIn(argv: readonly string[]): Declaration | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  return [3, 2, 1].map((count) => declarationOf(words.slice(0, count).join(' '))).find(Boolean);
}

/** Undefined for a word that is not a command. */
function declarationOf(name: string): Declaration | undefined {
  return Object.hasOwn(declarations, name) ? declarations[name as CommandName] : undefined;
}
