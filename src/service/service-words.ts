/** The message of an error body of any shape (interface §7: "the complete shape: not shown"). */
export interface ServiceMessage {
  /** Empty when none was found. */
  readonly message: string;
  readonly errorCode: string | null;
}

/** Texts of the service as they may be shown. They are given whole: a text that was cut may end inside a secret. */
export interface ServiceWords {
  /** A text that the service wrote. */
  text(text: string): string;
  /** Its error message. */
  message(message: ServiceMessage): ServiceMessage;
}

export function wordsWith(clean: (text: string) => string): ServiceWords {
  const codeOf = (code: string | null) => (code === null ? null : clean(code));
  return {
    text: clean,
    message: ({ message, errorCode }) => ({ message: clean(message), errorCode: codeOf(errorCode) }),
  };
}

const WITHHELD =
  "the service's message is not shown, because the request contained values from environment variables";

/**
 * For the answer to a request with values from the environment: it may quote them in any form. It is left out whatever it
 * says, because a mask in a part of it would tell what the secret is.
 */
export const withheldWords: ServiceWords = {
  text: () => '(not shown)',
  message: ({ errorCode }) => ({ message: WITHHELD, errorCode: isWord(errorCode) ? errorCode : null }),
};

/** `InvalidInput`, but nothing with a digit, or as long as a secret. */
function isWord(code: string | null): boolean {
  return code !== null && /^[A-Za-z]+([_-][A-Za-z]+)*$/.test(code) && code.length <= 40;
}
