import type { DiagnosticCode } from '../model/diagnostic.js';

/** What a diagnostic code means wherever it appears. The message of a diagnostic gives the details. */
export interface CodeText {
  /** A few words, such as the title of an alert. */
  readonly title: string;
  readonly means: string;
  /** What to do about it. */
  readonly help: string;
}

type RunCode = Extract<
  DiagnosticCode,
  | 'run-failed'
  | 'not-started'
  | 'still-running'
  | 'earlier-run'
  | 'start-unknown'
  | 'unmet-expectation'
  | 'unknown-expectation'
  | 'data-unavailable'
>;

/** Of the codes about runs, and about the data that they deliver. */
export const runCodeTexts: Readonly<Record<RunCode, CodeText>> = {
  'run-failed': {
    title: 'Run failed',
    means: 'The service reports a run as failed or stopped.',
    help: 'Fix the cause given in the message, then run it again.',
  },
  'not-started': {
    title: 'Not started',
    means: 'The service did not start an agent, group or pipeline, or a member of a group never started.',
    help: 'Read the reason in the message. `--retry-not-started` tries the members of a group again.',
  },
  'still-running': {
    title: 'Still running',
    means: 'A run did not finish within the time limit of `--for`. It is still running.',
    help: 'Follow it with `roster wait ID`.',
  },
  'earlier-run': {
    title: 'Earlier run',
    means: 'An address passed to `roster wait` has no unfinished run: the result is that of its last one.',
    help: 'To wait for a specific run, pass its id, which `roster run --detach --format json` prints.',
  },
  'start-unknown': {
    title: 'Unknown whether it runs',
    means:
      'The response to a start was lost, and roster did not find exactly one run that matches it, or the service no longer shows the run.',
    help: 'Look for the run with `roster wait ADDRESS` or in the dashboard before you start it again: starts are never repeated.',
  },
  'unmet-expectation': {
    title: 'Data is not as expected',
    means:
      'A run delivered other data than `expect` of its entry says: too few records, too late, without a column, with empty values, or with rows that should not be there. The message says what was expected and what came.',
    help: 'Look at the rows with the command in the message. If the data is right, change `expect`.',
  },
  'unknown-expectation': {
    title: 'Expectation cannot be judged',
    means:
      'It is not known whether the data is as expected: it has expired or is not paid, it has no preview, the run failed, or too few runs came before it.',
    help: 'Read the reason in the message. What is unknown never counts as met.',
  },
  'data-unavailable': {
    title: 'Data is not available',
    means:
      'The service has no file for a dataset, job or agent: it was never stored, retention has removed it, its payment has not settled, or it is not shared with this account.',
    help: 'Read the reason in the message. `roster data ADDRESS` lists the datasets with their status.',
  },
};
