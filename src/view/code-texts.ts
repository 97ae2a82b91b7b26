// biome-ignore-all lint/style/noExcessiveLinesPerFile: one table, with a text for each code.
import { type AcceptableCode, acceptableCodes, type DiagnosticCode } from '../model/diagnostic.js';
import { type CodeText, runCodeTexts } from './run-code-texts.js';

const texts: Readonly<Record<DiagnosticCode, CodeText>> = {
  usage: {
    title: 'Invalid command line',
    means: 'The command line contains an unknown command or flag, or a value that the flag does not accept.',
    help: 'Run `roster help` to list the commands, or `roster COMMAND --help` for the flags of one command.',
  },
  'unreadable-file': {
    title: 'File cannot be read',
    means: 'A file that the command needs cannot be read, or a glob in `include` matches no file.',
    help: 'Use regular files inside the project, not links, and save manifests as UTF-8.',
  },
  'not-included': {
    title: 'File is not included',
    means:
      'A file that a glob in `include` almost matches is not included: only its extension (`.yml` or `.yaml`) or its letter case differs.',
    help: 'Rename the file, or add it to `include`.',
  },
  'unwritable-file': {
    title: 'File cannot be written',
    means: 'A file cannot be written: a result, the inventory or its lock, or a new API key.',
    help: 'Use a regular file in a writable folder, and check its permissions and the free space.',
  },
  'limit-exceeded': {
    title: 'Limit exceeded',
    means:
      'A manifest exceeds the limit for its size, nesting, aliases, repetition or number of values, or another file is too large for roster to read or write.',
    help: 'Split the manifest into several files or projects, or use less nesting and fewer aliases.',
  },
  'unsafe-text': {
    title: 'Unsafe text',
    means:
      'A text contains control, bidirectional or zero-width characters, which can hide what it says, or a file contains what looks like an API key.',
    help: 'Remove the characters, and review the text that they hide. If the text is an API key, remove it. If the key is real, also revoke it, because it remains in the git history.',
  },
  'inexact-number': {
    title: 'Number cannot be kept',
    means:
      'A number would lose digits: it cannot be stored exactly, such as 9007199254740993, or it has a leading zero, such as 007.',
    help: 'Put it in quotes: it is sent as text, with all of its digits.',
  },
  'rewritten-number': {
    title: 'Number is sent in another form',
    means:
      'A number is written in a form in which it is not sent: `1.10` is sent as 1.1, `12e4` as 120000, and `0x1F` as 31.',
    help: 'Write it as it is sent; or put it in quotes if its digits matter, as in a version or an article number.',
  },
  'unsupported-version': {
    title: 'Unsupported version of roster',
    means:
      'The project requires another version of roster: its `requires` names a range that this version is not in.',
    help: 'Install a version that the project supports, or change `requires`.',
  },
  'missing-setting': {
    title: 'Required setting is missing',
    means: 'The project file, the project name, the URL of the service or the API key is missing.',
    help: 'Set `project:` and `service.url` in roster.yaml, and pass the key in `ROSTER_API_KEY`.',
  },
  'unknown-environment': {
    title: 'Unknown environment',
    means: 'The selected environment is not declared in the project.',
    help: 'Select one of `environments:` with `-e` or `ROSTER_ENV`, or declare the environment.',
  },
  'read-only': {
    title: 'Changes are switched off',
    means:
      'The environment variable `ROSTER_READ_ONLY` is set, and the command can change the service, the inventory or its lock.',
    help: 'Use `roster plan` to see what an apply would do. To allow changes, unset `ROSTER_READ_ONLY`.',
  },
  'no-environment': {
    title: 'No environment selected',
    means:
      'The project declares environments, none is selected, and nothing was applied without one so far. Such a command uses the settings of the project itself and an inventory of its own, so it may take over what an environment owns.',
    help: 'Select one of `environments:` with `-e` or `ROSTER_ENV`.',
  },
  'unknown-id': {
    title: 'Unknown id',
    means: 'No object on the service has the `id:` of the entry, or no run has the id on the command line.',
    help: 'Correct the id. In an entry, you can also remove it to match the object by its natural key.',
  },
  'empty-project': {
    title: 'Empty project',
    means: 'The project declares no resources, so a plan would delete everything that it owns.',
    help: 'Check that the right files are included. In a new project, `roster pull` writes entries for existing objects. To delete everything, pass `--allow-empty`.',
  },
  'yaml-syntax': {
    title: 'YAML syntax error',
    means: 'The file is not valid YAML, or uses a YAML feature that manifests do not support.',
    help: 'Fix the syntax at the reported place.',
  },
  schema: {
    title: 'Value does not match the schema',
    means: 'A value has the wrong type, format or range, or a required property is missing.',
    help: 'Correct the value. An editor that uses schemas/project.schema.json shows what each property accepts.',
  },
  'unknown-property': {
    title: 'Unknown property',
    means: 'A property is not valid here. Usually it is misspelled or at the wrong level.',
    help: 'Use the property that the help suggests, or move it to the level where it belongs.',
  },
  'duplicate-entry': {
    title: 'Duplicate entry',
    means: 'An entry or a property is declared twice, in one file or in two.',
    help: 'Remove one of the two, or rename it.',
  },
  'empty-each': {
    title: 'Nothing to repeat',
    means: 'The map or list of `each` is empty, so the entry declares nothing.',
    help: 'Add items, or remove the entry.',
  },
  policy: {
    title: 'Entry breaks a policy',
    means:
      'A policy is a rule for entries, and this entry breaks it. The message begins with what the policy asks for. At level `error`, an apply refuses the plan; at level `warning`, it does not.',
    help: 'Change the entry. To let a plan pass, use `--allow-policy` with the name of the policy and `--reason`, unless it comes from outside the project. docs/policies.md says how policies are written.',
  },
  'policy-exception': {
    title: 'Exception to a policy',
    means:
      "An entry breaks a policy, but the policy's file has an exception for it, with a reason and a last day. In its last 14 days, this is a warning; after that, the breach counts again.",
    help: 'Change the entry before the exception ends. A longer exception is a risk in the plan, which reviewers see first.',
  },
  'unknown-reference': {
    title: 'Unknown reference',
    means:
      'The target of a schedule is not declared in the project. As a warning: the `match` of a policy has an address that no entry has, in any environment.',
    help: 'Declare the target, with `external: true` if it is managed elsewhere. For the warning, correct the address in the policy.',
  },
  'unknown-agent': {
    title: 'Unknown agent',
    means: 'No agent that is assigned to your user has this externalAgentId, id or name.',
    help: 'Correct the name, or have the agent assigned to the user of the API key.',
  },
  'ambiguous-agent': {
    title: 'Ambiguous agent name',
    means: 'Several agents have this name.',
    help: 'Refer to the agent by its externalAgentId or its id.',
  },
  'ambiguous-name': {
    title: 'Several remote objects match',
    means: 'Several objects on the service match the entry, and roster cannot tell which one is meant.',
    help: 'Add the `id:` of one of them to the entry.',
  },
  'duplicate-object': {
    title: 'Object exists twice',
    means:
      'The service has another object like the one that the entry owns, usually from a create that took effect late. roster leaves it alone.',
    help: 'In the dashboard, delete the objects that nobody needs, or bind the entry to its object with `id:`.',
  },
  'duplicate-name': {
    title: 'Two entries for one object',
    means: 'Two entries describe the same object on the service.',
    help: 'Remove one of the entries, or change what identifies it: the name, or the target and timing of a schedule. Two objects that are alike need an `id:` in both entries, also after the apply.',
  },
  'duplicate-agent': {
    title: 'Agent listed twice',
    means: 'An agent is listed twice in one group or pipeline.',
    help: 'Remove one of the two.',
  },
  'too-many-stages': {
    title: 'Too many stages',
    means: 'A pipeline has more stages than the service accepts.',
    help: 'Split the pipeline in two.',
  },
  'invalid-cron': {
    title: 'Invalid cron expression',
    means: 'A cron expression cannot be parsed, or never fires.',
    help: 'Use six fields, seconds first, such as `0 30 2 * * *` for 02:30 every day.',
  },
  'ambiguous-cron': {
    title: 'Ambiguous cron expression',
    means:
      'Services interpret a cron expression differently: it restricts both the day of month and the day of week, or numbers a day of the week.',
    help: 'Restrict only one of the two, and write days of the week as names.',
  },
  'large-step': {
    title: 'Step that does not fit its field',
    means:
      'A step of a cron expression counts within its field. One that is larger, such as `*/90` minutes, leaves a single value, and one that does not divide it, such as `*/45` minutes, `*/5` hours or `*/2` days, starts again at 0 in each hour or day, or at 1 in each month: minutes 0, 45, 0, 45.',
    help: 'For equal intervals, use `every` instead of `cron`. Otherwise, write the value alone, or a smaller step.',
  },
  'invalid-condition': {
    title: 'Condition is not valid',
    means:
      'A condition under `expect.rows` is not one of `roster data query --where`: a column, an operator and, for most operators, a value.',
    help: 'Write it like `price lte 0` or `title isempty`.',
  },
  'unknown-cron': {
    title: 'Cron expression that only some services support',
    means:
      'A cron expression uses syntax that only some services support: the full name of a day or month, such as `MONDAY`, or an expression whose start times roster cannot compute.',
    help: "Write the short name, such as `MON`. Otherwise, check the next runs in the service's preview.",
  },
  'invalid-time': {
    title: 'Invalid time or duration',
    means: 'A time or a duration cannot be parsed.',
    help: 'Use wall-clock times without an offset, such as `2026-12-01T06:00:00`, and durations such as `6 hours`.',
  },
  'invalid-time-zone': {
    title: 'Invalid time zone',
    means: 'A time zone is not an IANA name.',
    help: 'Use a name such as `Europe/Berlin`, or `UTC`.',
  },
  'ambiguous-time-zone': {
    title: 'Time zone that reads as an abbreviation',
    means:
      'A time zone is an old IANA name such as `EST`, `CET` or `EST5EDT`. Services can differ in what it means: `EST`, for example, has no daylight saving time.',
    help: 'Write the name of a place, such as `America/New_York` or `Europe/Brussels`.',
  },
  'skipped-time': {
    title: 'Time skipped by daylight saving',
    means: 'A wall-clock time does not exist on one day, because daylight saving time begins.',
    help: 'Choose a time outside that hour, or another time zone.',
  },
  'repeated-time': {
    title: 'Time repeated by daylight saving',
    means: 'A wall-clock time occurs twice on one day, because daylight saving time ends.',
    help: 'Choose a time outside that hour, or another time zone.',
  },
  'past-once': {
    title: 'One-time run is in the past',
    means: 'The time of a `once` schedule has passed, so the schedule is not created, enabled or run.',
    help: 'Remove the entry, or set a time in the future.',
  },
  held: {
    title: 'On hold',
    means:
      'Schedules are paused by `roster hold`, and plan and apply leave them paused until the hold ends. `roster run --changed` ends with this error for a schedule that was put on hold after the apply that changed it, because no run has proved the change.',
    help: 'To end the hold now, run `roster resume ADDRESS`.',
  },
  'unknown-input': {
    title: 'Unknown input',
    means: 'No agent of the target has an input with this key.',
    help: 'Correct the key, or remove the input.',
  },
  'ignored-inputs': {
    title: 'Inputs are ignored',
    means: 'A pipeline runs its stages with their own inputs and ignores those of the schedule.',
    help: 'Remove the inputs, or target an agent or a group.',
  },
  'inactive-target': {
    title: 'Target is not active',
    means:
      'A schedule is enabled, but its group or pipeline has `active: false`. The service does not run what is not active, so the schedule starts nothing. Plans, the calendar and `status` count it as paused.',
    help: 'Set `active: true` for the target, or pause the schedule with `enabled: false`.',
  },
  'former-name': {
    title: 'Former name of a setting',
    means: 'A setting in roster.yaml has its former name. It still works, and means the same.',
    help: 'Rename the setting, as the message says.',
  },
  'unused-acceptance': {
    title: 'Accepted warning does not occur',
    means:
      'An entry lists a warning under `accept` that it does not cause, most likely because it was changed since.',
    help: 'Remove the code from `accept`, so that the warning is reported if the entry causes it again.',
  },
  'unknown-scope': {
    title: 'Unknown scope',
    means: 'A scope is not in the list of scopes that the project knows.',
    help: 'Correct the scope. If the service has added it, list it under `scopes:` in roster.yaml, together with all others: the list replaces the default.',
  },
  'several-new-keys': {
    title: 'API keys that revoke each other',
    means:
      'Several API keys of one user are declared, and the plan would create or replace one of them. Each new key revokes the active keys of its user, so only the newest one would work.',
    help: 'Keep one key in the manifests. For a second one, use a separate project with the API key of another user. To stop managing a key that exists, list it under `removed:`.',
  },
  'exposed-key': {
    title: 'Key file is not ignored by git',
    means:
      'An entry delivers its new key to a file in the repository that git does not ignore, so the next `git add` could commit the key. `apply` creates no such key.',
    help: 'Add the file to `.gitignore`, or deliver the key to a command. If it is never committed, pass `--allow-exposed-key`.',
  },
  'undeliverable-key': {
    title: 'API key cannot be delivered',
    means: 'A new API key is shown once, and the destination in `deliver:` cannot receive it.',
    help: 'Set `deliver:` to a file that can be written, or to a command that exists.',
  },
  'undelivered-key': {
    title: 'API key has not been delivered yet',
    means:
      'An apply created an API key, could not deliver it, and kept it in a file. The key is active, and the service will not show it again.',
    help: 'Fix the destination and run `roster apply`, or move the key to its destination yourself. Then delete the file, and never commit it.',
  },
  'unknown-variable': {
    title: 'Unknown variable',
    means:
      'A variable is not declared, has no value at this path, refers to itself, or is used where it is not supported.',
    help: 'Declare the variable under `vars:`. To write a literal `${`, use `$${`.',
  },
  'missing-environment-variable': {
    title: 'Environment variable is not set',
    means: 'A manifest uses an environment variable that is not set or is empty.',
    help: 'Set the variable where roster runs. In CI, pass it to the step, or check the manifests with `roster validate --allow-missing-env`.',
  },
  'misplaced-variable': {
    title: 'Variable is not allowed here',
    means:
      'A manifest uses an environment variable outside `inputs` and `description`, after a `$`, or one whose name is reserved for roster or CI; or it uses a variable in the name of an input. Reviewers must be able to see what a manifest declares, and the author of a pull request controls values such as its branch name.',
    help: 'Write the value in the manifest or in `vars:`. Write out a name. Pass CI values under another name.',
  },
  'not-manageable': {
    title: 'Object cannot be managed',
    means: 'The operator or another user created this object, and the API key cannot change it.',
    help: 'Declare it with `external: true`, or change it in the dashboard.',
  },
  'preview-differs': {
    title: 'Preview differs',
    means: "The service's preview of a schedule's next runs differs from the times that roster computes.",
    help: 'Compare both lists in the plan. The service may interpret the timing differently than you expect.',
  },
  'rejected-by-preview': {
    title: 'Schedule rejected by the service',
    means: 'The preview of the service rejects the schedule, so creating it would fail.',
    help: 'Correct the entry as described in the message of the service.',
  },
  'start-rate': {
    title: 'Too many starts in one minute',
    means: 'The schedules start more agents in one minute than `limits.startsPerMinute` allows.',
    help: 'Move some of the schedules to another time, or raise the limit.',
  },
  'too-frequent': {
    title: 'Starts too close together',
    means:
      'A new or changed schedule has two starts that are closer together than `limits.shortestInterval`.',
    help: 'Make it run less often. If every start is intended, lower the limit.',
  },
  'too-many-runs': {
    title: 'Too many agent starts per week',
    means: 'The plan raises the number of agent starts in an average week above `limits.startsPerWeek`.',
    help: 'Start fewer agents, or less often. If all starts are intended, raise the limit in roster.yaml.',
  },
  'too-many-starts': {
    title: 'Too many starts',
    means:
      'The command would start more agents than `--max-starts` allows: each member of a group and each stage of a pipeline counts.',
    help: 'Select fewer addresses. If all starts are intended, pass a higher `--max-starts`.',
  },
  'unknown-owners': {
    title: 'Unknown owners',
    means:
      'The CODEOWNERS file of the repository is too large, has too many rules or patterns that take too long to match, or cannot be read. The plan does not say who owns some of its changes.',
    help: 'Use fewer and simpler rules in the file. If a pull request has changed it, review why.',
  },
  protected: {
    title: 'Object is protected',
    means:
      'The plan deletes an object with `protect: true`, or one that an inventory file protected before somebody edited it.',
    help: 'Set `protect: false` on the entry and apply. Then remove the entry.',
  },
  'not-allowed': {
    title: 'Not allowed',
    means: 'The plan does something that needs an explicit flag.',
    help: 'Review the plan. If it is what you want, pass the flag that the help names.',
  },
  'not-confirmed': {
    title: 'Not confirmed',
    means: 'The answer was not `yes`, or there is no terminal to ask for confirmation. Nothing was changed.',
    help: 'Review the plan, then answer `yes`. Without a terminal, pass `--expect` with the digest of the reviewed plan, or `--yes`.',
  },
  'too-many-deletes': {
    title: 'Too many deletes',
    means: 'The plan deletes more objects than `limits.deletes` allows.',
    help: 'Review the deletes. To allow all of them, pass `--allow-deletes` with their number.',
  },
  'stale-plan': {
    title: 'Plan has changed since the review',
    means:
      'The current plan differs from the reviewed one, because the manifests or the service have changed.',
    help: 'Review the current plan and apply that one.',
  },
  'unfinished-apply': {
    title: 'An apply has not finished',
    means:
      'The inventory says that an apply has begun and has not ended: it is still running, it was interrupted, or it partly failed.',
    help: 'Wait for it if it is running. Otherwise finish it with `roster apply --expect DIGEST --resume`, or review the current plan and apply that one.',
  },
  locked: {
    title: 'Inventory is locked',
    means: 'Another command holds the lock of the inventory.',
    help: 'Wait for it with `--lock-timeout`. If that command was killed, remove its lock with `roster unlock`.',
  },
  'service-mismatch': {
    title: 'Service differs from the manifest',
    means:
      'The service that `--url` or `ROSTER_URL` names is not the one that the manifest declares, and is not on this machine.',
    help: 'Correct whichever is wrong. If the difference is intended, pass `--allow-service-mismatch`.',
  },
  'stale-checkout': {
    title: 'Checkout lacks the commit last applied',
    means:
      'The checkout of the manifests contains neither the commit last applied nor its changes. The plan may undo what newer commits added, and apply refuses deletes and replaces from such a checkout. If git cannot tell, as in a shallow clone or with an inventory file that git tracks, this is only a note, and so is a last apply with changes that were not committed.',
    help: 'Run `git pull`, or rebase the branch, and plan again. In a shallow clone, run `git fetch --unshallow`. If the commit was abandoned on purpose, pass `--allow-stale-checkout`.',
  },
  'unrecorded-inventory': {
    title: 'Inventory file may have been edited',
    means:
      'The plan deletes objects, but git cannot show that an apply wrote the inventory file. Either the clone is shallow, or every commit of the file also changed other files of the project.',
    help: 'Use a full clone. After an apply, commit the inventory file without any other file of the project. If nobody has edited the file, pass `--allow-edited-inventory`.',
  },
  'inventory-unavailable': {
    title: 'Inventory is unavailable',
    means: 'The inventory in git cannot be read or written.',
    help: 'Check the git remote, and that roster may push to the branch of the inventory.',
  },
  unauthorized: {
    title: 'API key is not accepted',
    means: 'The service does not accept the API key.',
    help: 'Check that `ROSTER_API_KEY` holds a key of this service that has not been revoked.',
  },
  forbidden: {
    title: 'Permission denied',
    means: 'The API key does not have permission for this request.',
    help: 'Use a key with the permission, or ask for it.',
  },
  'insecure-url': {
    title: 'Insecure URL',
    means: 'The URL of the service would send the API key unencrypted.',
    help: 'Use https. Plain http is accepted for loopback addresses only.',
  },
  'proxy-error': {
    title: 'Proxy error',
    means:
      'The proxy that `HTTPS_PROXY` names cannot be used: its URL is invalid, it cannot be reached, or it did not connect to the service. Nothing was sent to the service.',
    help: 'Check `HTTPS_PROXY`. To reach the service without the proxy, add its host to `NO_PROXY`.',
  },
  'unexpected-response': {
    title: 'Unexpected response',
    means: 'Roster does not understand a response of the service, and changes nothing that depends on it.',
    help: 'Check that the URL is that of the service. If it is, this version of roster does not support the response.',
  },
  'service-error': {
    title: 'Service error',
    means: 'The service failed, or could not be reached.',
    help: 'Try again. If an apply was interrupted, running it again finishes the remaining changes.',
  },
  'ci-host-error': {
    title: 'CI host error',
    means:
      'GitHub or GitLab refused a request of a CI job, failed, could not be reached, or sent something that roster does not understand.',
    help: 'See the message for the request and the response. If it names a missing permission or setting, add it, then run the job again.',
  },
  'not-converged': {
    title: 'Service does not match after the apply',
    means: 'After the apply, the service still differs from the manifests.',
    help: 'Run `roster plan` to see the differences. Someone else may be changing the objects.',
  },
  'rehearsal-failed': {
    title: 'Plan does not converge on a copy of the service',
    means:
      'On a copy of the service (`--rehearse`), a new plan would still change something after the apply. The message names what is left, the call that a new plan would send, and which disturbance led to it. Nothing was sent to the service.',
    help: 'Correct the entries that the message names. The copy follows the documented interface: if the service accepts them, please report a bug.',
  },
  conflict: {
    title: 'Object changed during the apply',
    means:
      'Someone else changed the object, or started using it, after the plan was made. roster reads an object again right before it deletes or replaces it, and left this one unchanged.',
    help: 'Run `roster plan` to see the object as it is now, and apply that plan.',
  },
  'inventory-mismatch': {
    title: 'Wrong inventory',
    means:
      'The inventory belongs to another project, environment or service; most of its objects belong to a different user than the API key; or an entry does not describe the object with its id.',
    help: 'Check the URL and the API key: everyone who plans or applies needs a key of the same user. If the object was changed outside roster, bind its entry with `id:`.',
  },
  'invalid-inventory': {
    title: 'Inventory cannot be read',
    means: 'The inventory is damaged, was written by another version of roster, or is not an inventory.',
    help: 'Restore it from git, or use the version of roster that wrote it. Without an inventory, the next plan finds the objects by their names.',
  },
  'left-alone': {
    title: 'Object is left on the service',
    means: 'An object that is no longer declared stays on the service.',
    help: 'Delete it with `--prune owned`, or declare it again.',
  },
  'owned-elsewhere': {
    title: 'Another project manages the object',
    means:
      'An object that is no longer declared here stays on the service, because another project of the repository declares it, or has it in its inventory. A plan that adopts or changes such an object has a risk of the same name. A schedule that another project has on hold stays paused. If only the other project has the schedule in its inventory, run `roster hold` and `roster resume` in that project. Project files that share a name or an inventory do not count as other projects. If a plan deletes something, it lists these files.',
    help: 'Apply the other project: this one then forgets the object. If both declare it, remove one of the two entries. To hold or resume a schedule there, run the command that the message names.',
  },
  'unreadable-sibling': {
    title: 'Another project of the repository cannot be read',
    means:
      'The manifests or the inventory of another project of the repository cannot be read. It may manage what is no longer declared here, so nothing is deleted. It may also have put a paused schedule on hold, so no apply starts a schedule that somebody has paused.',
    help: 'Correct the file that the message names, or give the command access to the branch of that inventory.',
  },
  'not-selected': {
    title: 'Entries or changes outside the selection',
    means:
      'The command left out changes, or entries and files with an error, that the addresses on the command line do not select.',
    help: 'To see all changes, run `roster plan` without addresses. To see all errors, run `roster validate`.',
  },
  'broken-reference': {
    title: 'Reference to an entry with an error',
    means: 'The entry refers to an entry that has an error, so neither of them can be planned.',
    help: 'Correct the entry that it refers to.',
  },
  'not-importable': {
    title: 'Object cannot be imported',
    means:
      'A manifest cannot declare an object exactly as it is, so `roster pull` left it out. The message says why.',
    help: 'Change the object on the service, or declare it manually.',
  },
  'not-movable': {
    title: 'Entry cannot be moved to another project',
    means:
      'The entry would mean something else in the other project, or something that stays behind needs it.',
    help: 'Read the reason in the message. Move what belongs together in one command, and write out what the entry takes from its project.',
  },
  'not-written-back': {
    title: 'Value cannot be written back',
    means:
      'A value was left unchanged by `roster pull`, because the file holds a variable, an anchor or a merge key in its place, or because changing it would change something else.',
    help: 'Change it in the file, or restore the declared value with `roster apply`.',
  },
  'shared-entry': {
    title: 'Entry is shared with other environments',
    means:
      'An entry or value that `roster pull` wrote belongs to several environments. Either an entry of other environments now exists in the selected one as well, and its object there differs; or no environment was selected, so all environments have it.',
    help: 'Select an environment with `-e`. For a value that differs between environments, use a variable.',
  },
  'not-in-inventory': {
    title: 'Resource is not in the inventory',
    means:
      'A declared resource exists on the service but is not in the inventory. Its drift is unknown, and it cannot be put on hold.',
    help: 'Apply to add it to the inventory. If the inventory was lost, restore it first.',
  },
  'possible-orphan': {
    title: 'Object of an interrupted apply',
    means: 'An interrupted apply may have created an object for an entry that is no longer declared.',
    help: 'It may belong to someone else, so roster leaves it unchanged. If nobody needs it, delete it in the dashboard.',
  },
  'unknown-removed': {
    title: 'Unknown address under `removed`',
    means:
      'An address under `removed` is not in the inventory, but a similar address without an entry is: that object would be deleted.',
    help: 'Correct the address. After the next apply, you can delete it from `removed`.',
  },
  'unknown-formerly': {
    title: 'Unknown former key',
    means:
      'An entry would be created although `formerly` says that it was renamed: the inventory knows no such entry. Or `formerly` of a repeated entry names a key that no item has.',
    help: 'Use the key that the entry had at the last apply, or that it has now. If the entry is new, remove `formerly`.',
  },
  'invalid-snapshot': {
    title: 'Invalid snapshot',
    means: 'A snapshot cannot be taken or read, or belongs to another project, environment or service.',
    help: 'Take a new one with `roster snapshot --out FILE`, using the same manifests and settings.',
  },
  'old-snapshot': {
    title: 'Old snapshot',
    means: 'The snapshot is more than a day old, or its time is in the future.',
    help: 'Take a new one with `roster snapshot --out FILE`.',
  },
  'not-in-snapshot': {
    title: 'Value is not in the snapshot',
    means: 'A value comes from the environment, which snapshots do not contain, so it counts as unchanged.',
    help: 'To compare the value, run `roster plan` with an API key.',
  },
  ...runCodeTexts,
  interrupted: {
    title: 'Interrupted',
    means: 'The command was interrupted.',
    help: 'Run the command again. It continues from the current state.',
  },
  internal: {
    title: 'Internal error',
    means: 'There is a bug in roster.',
    help: 'Report it with the command and its output.',
  },
};

/** The one text for each code: SARIF rules and docs/diagnostics.md (`npm run docs`) are made from it. */
export const codeTexts: Readonly<Record<DiagnosticCode, CodeText>> = {
  ...texts,
  ...Object.fromEntries(acceptableCodes.map((code) => [code, withAcceptance(code)])),
};

function withAcceptance(code: AcceptableCode): CodeText {
  const { help, ...rest } = texts[code];
  return { ...rest, help: `${help} If this is intended, add \`accept: [${code}]\` to the entry.` };
}

export function isCode(text: string): text is DiagnosticCode {
  return Object.hasOwn(codeTexts, text);
}
