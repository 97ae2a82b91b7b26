/** What a number would lose of how it is written; null mostly. */
export function lossOf(
  value: number,
  source: string,
): { readonly message: string; readonly help: string } | null {
  if (!Number.isFinite(value) || isUnsafeInteger(value, source))
    return {
      message: 'this number cannot be kept exactly',
      help: 'Put it in quotes if it is text, such as an id.',
    };
  if (!/^[-+]?0\d/.test(source)) return null;
  return {
    message: 'this number would lose the zero that it begins with',
    help: `Put it in quotes if it is text: "${source}"`,
  };
}

/** Numbers with a fraction or an exponent are approximate by nature; integers are not. */
function isUnsafeInteger(value: number, source: string): boolean {
  return !Number.isSafeInteger(value) && !/[.eE]/.test(source);
}
