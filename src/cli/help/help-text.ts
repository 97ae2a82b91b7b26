export interface HelpText {
  /** For the list of commands: without a period. */
  readonly summary: string;
  /** The first paragraph of the help. Default: the summary. */
  readonly about?: string;
  /** Command lines with what they are for. Tests run each of them. */
  readonly examples: readonly (readonly [purpose: string, line: string])[];
  /** The only flag that needs the API key, for commands that need none otherwise. */
  readonly keyFor?: string;
  /** What its exit codes mean. */
  readonly exits: Readonly<Record<number, string>>;
  /** The page that says more. */
  readonly page: string;
}

export const success = 'Success';
export const failed = 'An error';
