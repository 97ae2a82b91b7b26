/** Takes the place of every value that must not be shown. */
export const MASK = '(sensitive)';
