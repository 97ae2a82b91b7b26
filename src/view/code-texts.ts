import type { DiagnosticCode } from '../model/diagnostic.js';

/** What a code says wherever it turns up, and what there is to do. The message of a diagnostic says what it is about. */
export interface CodeWords {
  readonly means: string;
  readonly help: string;
}

const offered = 'The help of the problem says what was meant, where that can be told.';

/** For those who read a code without its message, such as the list of rules of a code scanner. */
export const codeWords: Readonly<Record<DiagnosticCode, CodeWords>> = {
  usage: {
    means: 'The command line cannot be understood.',
    help: 'See `roster help` for commands and flags.',
  },
  'unreadable-file': {
    means: 'A file that is wanted cannot be read or written, or a glob matches none.',
    help: 'Name regular files, no links, inside the project; save manifests as UTF-8.',
  },
  'limit-exceeded': {
    means: 'A manifest costs more than is given to one: its size, nesting, aliases or number of values.',
    help: 'Split it into several files or projects, or write it with less nesting and fewer aliases.',
  },
  'unsafe-text': {
    means: 'A text holds characters that cannot be seen: control, bidirectional or zero-width ones.',
    help: 'Take them out. What they hide from a reviewer is a reason to look twice.',
  },
  'missing-setting': {
    means: 'The project file, its name, the address of the service or the API key is missing.',
    help: 'Put `project:` and `service.url` into roster.yaml, and the key into ROSTER_API_KEY.',
  },
  'unknown-environment': {
    means: 'The environment that was picked is not declared.',
    help: 'Pick one of `environments:` with -e or ROSTER_ENV, or declare it there.',
  },
  'unknown-id': {
    means: 'No object of the service has the `id:` of the entry.',
    help: 'Correct the id, or take it out: the entry is then paired by its name.',
  },
  'empty-project': {
    means: 'The project declares nothing, so that everything it owns would be deleted.',
    help: 'Check that the right files are included. If it is meant, say --allow-empty.',
  },
  'yaml-syntax': { means: 'The file is not the YAML that manifests are written in.', help: offered },
  schema: {
    means: 'A value does not have the type, form or range that belongs there, or one is missing.',
    help: 'Point an editor at schemas/project.schema.json: it shows what each property takes.',
  },
  'unknown-property': {
    means: 'A property is not known where it stands.',
    help: `Most are typing mistakes or stand one level too high or low. ${offered}`,
  },
  'duplicate-entry': {
    means: 'An entry or a property is declared twice, in one file or in two.',
    help: 'Take one of them out, or give it another key.',
  },
  'unknown-reference': {
    means: 'The target of a schedule is not an entry of the project.',
    help: 'Declare it, with `external: true` if it belongs to somebody else.',
  },
  'unknown-agent': {
    means: 'No agent that is assigned to the caller has this externalAgentId, id or name.',
    help: offered,
  },
  'ambiguous-agent': {
    means: 'Several agents have this name.',
    help: 'Name the agent by its externalAgentId or its id.',
  },
  'ambiguous-name': {
    means: 'Several objects of the service could be the one that the entry means.',
    help: 'Bind the entry to one of them with `id:`.',
  },
  'duplicate-name': {
    means: 'Two entries would be one and the same object of the service.',
    help: 'Take one of them out, or make them differ in what tells them apart on the service.',
  },
  'duplicate-agent': { means: 'An agent is listed twice.', help: 'Take one out.' },
  'too-many-stages': {
    means: 'A pipeline has more stages than the service takes.',
    help: 'Split it into two pipelines.',
  },
  'invalid-cron': {
    means: 'A cron expression cannot be read, or never fires.',
    help: 'Write six fields, seconds first, such as "0 30 2 * * *" for 02:30 every day.',
  },
  'invalid-time': {
    means: 'A time or a length of time cannot be read.',
    help: 'Write wall-clock times without offset, such as 2026-12-01T06:00:00, and lengths such as 6 hours.',
  },
  'invalid-time-zone': {
    means: 'A time zone is not one of the IANA names.',
    help: 'Name a place, such as Europe/Berlin, or UTC.',
  },
  'skipped-time': {
    means: 'A wall-clock time does not exist: the clocks skip it when daylight saving begins.',
    help: 'Choose a time outside that hour, or another zone.',
  },
  'repeated-time': {
    means: 'A wall-clock time comes twice: the clocks repeat it when daylight saving ends.',
    help: 'Choose a time outside that hour, or another zone.',
  },
  'past-once': {
    means: 'The time of a `once` has passed: it is never created or fired any more.',
    help: 'Take the entry out, or give it a time to come.',
  },
  'unknown-input': {
    means: 'No agent of the target knows an input.',
    help: offered,
  },
  'ignored-inputs': {
    means: 'A pipeline runs its stages with their own inputs: those of the schedule are ignored.',
    help: 'Take them out, or target an agent or a group.',
  },
  'unknown-scope': {
    means: 'A scope is not among those that the project says the service knows.',
    help: 'Correct it, or put a new scope into `scopes:` of roster.yaml first.',
  },
  'several-new-keys': {
    means: 'Several API keys would be created in one apply, and each one revokes the one before.',
    help: 'Leave one of them in the manifests, apply, and then add the next.',
  },
  'undeliverable-key': {
    means: 'A new API key, which is shown once, could not be delivered.',
    help: 'Give the entry a `deliver:` with a file that can be written or a command that exists.',
  },
  'unknown-variable': {
    means: 'A variable does not exist, refers to itself, or stands where it cannot.',
    help: 'Declare it under `vars:`. A plain ${ is written $${.',
  },
  'missing-environment-variable': {
    means: 'A variable of the environment that a manifest uses is not set.',
    help: 'Set it where roster runs; in CI, pass it to the step.',
  },
  'not-manageable': {
    means: 'The object cannot be changed by the caller.',
    help: 'Declare it with `external: true`, or change it where it is managed.',
  },
  'rejected-by-preview': {
    means: 'The service would not take the schedule.',
    help: 'Mend the entry as the message of the service says.',
  },
  'start-rate': {
    means: 'The schedules start more agents in one minute than the limit of the project.',
    help: 'Move some of them, or raise `limits.startsPerMinute`.',
  },
  protected: {
    means: 'An object with `protect: true` would be deleted.',
    help: 'Put the entry back with `protect: false`, apply that, and then take the entry out.',
  },
  'not-allowed': {
    means: 'The plan does something that has to be allowed outright.',
    help: 'Read the plan; the help of the problem names the flag that allows it.',
  },
  'too-many-deletes': {
    means: 'The plan deletes more objects than the limit of the project.',
    help: 'Read the deletes; if all of them are meant, say --allow-deletes with their number.',
  },
  'stale-plan': {
    means:
      'The plan is no longer the one that was reviewed: the manifests or the service have changed since.',
    help: 'Review the new plan, and apply that.',
  },
  locked: {
    means: 'Another run holds the lock of the inventory.',
    help: 'Wait for it (--lock-timeout). If that run is dead, `roster unlock` ends its lock.',
  },
  'inventory-unavailable': {
    means: 'The inventory cannot be read or written: git or its remote refuses.',
    help: 'Check the remote, and that this run may push to the branch of the inventory.',
  },
  unauthorized: {
    means: 'The service does not take the API key.',
    help: 'Check ROSTER_API_KEY, and that it is a key of this service which has not been revoked.',
  },
  forbidden: {
    means: 'The API key may not do this.',
    help: 'Use the key of a user who may, or ask for the right.',
  },
  'insecure-url': {
    means: 'The address of the service would send the API key unprotected.',
    help: 'Use https; http is for loopback addresses alone.',
  },
  'unexpected-response': {
    means: 'An answer of the service cannot be understood, so nothing is concluded from it.',
    help: 'Check the address: is it that of the service itself? If so, this roster does not know its answers.',
  },
  'service-error': {
    means: 'The service failed, or could not be reached.',
    help: 'Try again; running once more finishes what is not finished.',
  },
  'not-converged': {
    means: 'After the apply the service does not hold what the manifests say.',
    help: 'Plan again to see what is left: someone else may be changing it, or the service did not do what it said.',
  },
  'inventory-mismatch': {
    means: 'The inventory is not that of this project, environment or account, or it cannot be read.',
    help: 'Check the address and the key, and restore the inventory from git if it is broken.',
  },
  'left-alone': {
    means: 'An object that is not declared any more stays on the service.',
    help: 'Delete it with --prune owned, or declare it again.',
  },
  'not-selected': {
    means: 'The plan leaves out changes that the addresses on the command line do not select.',
    help: 'Plan without addresses to see all changes.',
  },
  'not-in-inventory': {
    means: 'A declared resource exists but is not in the inventory, so its drift is not known.',
    help: 'Apply to add it to the inventory. If the inventory was lost, restore it first.',
  },
  'possible-orphan': {
    means: 'An interrupted run may have created an object for an entry that is no longer declared.',
    help: 'It may belong to somebody else, so it is left unchanged. Delete it yourself if nobody needs it.',
  },
  'invalid-snapshot': {
    means: 'A snapshot cannot be taken or read, or it is of another project, environment or service.',
    help: 'Take a new one with `roster snapshot --out FILE`, with the same manifests and settings.',
  },
  'old-snapshot': {
    means: 'The snapshot that is planned against is more than a day old, or has a time to come.',
    help: 'Take a new one with `roster snapshot --out FILE`.',
  },
  'not-in-snapshot': {
    means: 'A value comes from the environment, which no snapshot holds: it counts as unchanged.',
    help: 'A plan with a key compares it.',
  },
  interrupted: {
    means: 'The run was interrupted.',
    help: 'Run again: it goes on from what is there.',
  },
  internal: {
    means: 'A mistake in roster itself.',
    help: 'Report it, with the command and what it printed.',
  },
};
