import { exitCode } from '../../src/cli/command/exit.js';

const meanings: Readonly<Record<keyof typeof exitCode, string>> = {
  fine: 'Success',
  error: 'An error occurred, and nothing was changed',
  changes: 'There are changes (`plan --detailed-exitcode`, `drift`, `fmt --check`)',
  incomplete:
    'An apply started and did not finish, or the service does not match afterwards; or it is unknown whether a start took effect. The report lists what was done',
  refused: 'Refused before anything was changed, for example because of too many deletes',
  failed:
    'A run failed, was stopped or was not started (`run`, `wait`), something is unhealthy (`status --check`), or the service has no data (`data`, `run --save`)',
  running: 'Still running when the time limit of `--for` was reached (`run`, `wait`)',
  interrupted: 'Interrupted',
};

/** What the exit codes of all commands mean, for the reference and the manual page. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = Object.entries(exitCode).map(
  ([name, code]) => [code, meanings[name as keyof typeof exitCode]],
);
