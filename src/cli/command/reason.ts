import { problem } from '../../model/diagnostic.js';
import { findApiKeys } from '../../redact/redactor.js';

const MOST_CHARACTERS = 500;

/** `--reason`: one line of text for everyone who sees a plan. Throws a Problem without it. */
export function chooseReason(reason: string | undefined, example = '--reason "incident 42"'): string {
  const text = reason?.trim() ?? '';
  if (text === '') throw problem('usage', 'the reason is missing', `For example: \`${example}\`.`);
  if (text.length > MOST_CHARACTERS)
    throw problem('limit-exceeded', `--reason: more than ${MOST_CHARACTERS} characters`, 'Link to the rest.');
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) || findApiKeys(text).length > 0)
    throw problem(
      'unsafe-text',
      '--reason: the text contains a line break, an invisible character or an API key',
      'Write one line of plain text: everyone who sees a plan can read it.',
    );
  return text;
}
