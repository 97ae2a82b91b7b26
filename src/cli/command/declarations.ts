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
  /** The values of `--format`, the default first. */
  readonly formats: readonly ['text', ...string[]];
}

const offline = { readOnly: true, destructive: false, needsKey: false } as const;
const reading = { readOnly: true, destructive: false, needsKey: true } as const;
const writing = { readOnly: false, destructive: false, needsKey: false } as const;

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
    formats: ['text', 'json'],
  },
  destroy: {
    readOnly: false,
    destructive: true,
    needsKey: true,
    interruptEnds: 'steps',
    formats: ['text', 'json'],
  },
  hold: { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json'] },
  resume: { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json'] },
  drift: { ...reading, formats: ['text', 'json', 'markdown'] },
  pull: { ...writing, needsKey: true, formats: ['text', 'json', 'diff'] },
  list: { ...reading, formats: ['text', 'json'] },
  why: { ...reading, formats: ['text', 'json'] },
  // Starts run on the service: an interrupt ends only following them.
  run: { ...writing, needsKey: true, interruptEnds: 'steps', formats: ['text', 'json', 'junit'] },
  wait: { ...reading, interruptEnds: 'steps', formats: ['text', 'json', 'junit'] },
  snapshot: { ...reading, formats: ['text', 'json'] },
  api: { ...writing, destructive: true, needsKey: true, formats: ['text', 'json'] },
  calendar: { ...offline, formats: ['text', 'json', 'html', 'svg'] },
  graph: { ...offline, formats: ['text', 'mermaid', 'dot', 'json'] },
  log: { ...offline, formats: ['text', 'json'] },
  fmt: { ...writing, formats: ['text', 'json'] },
  // If the run is still alive, it loses its lock.
  unlock: { ...writing, destructive: true, formats: ['text', 'json'] },
  sandbox: { ...offline, interruptEnds: 'service', formats: ['text', 'json'] },
  schema: { ...offline, formats: ['text', 'json'] },
  completion: { ...offline, formats: ['text', 'json'] },
  version: { ...offline, formats: ['text', 'json'] },
  help: { ...offline, formats: ['text'] },
} as const satisfies Readonly<Record<string, Declaration>>;

export type CommandName = keyof typeof declarations;

/** Undefined for a word that is no command. */
export function declarationOf(name: string): Declaration | undefined {
  return Object.hasOwn(declarations, name) ? declarations[name as CommandName] : undefined;
}
