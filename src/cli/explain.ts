import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { codeListText, codesJson, codesText, isCode } from '../view/text/codes-text.js';
import { declarations } from './command/declarations.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster explain [CODE…]`: what diagnostic codes mean, and what to do. Without a code, it lists them. */
export function explainCommand(
  words: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.explain.formats, context, async () => {
    const codes = words.map((word) => {
      if (isCode(word)) return word;
      throw problem('usage', `there is no diagnostic code "${word}"`, 'Run `roster explain` to list them.');
    });
    return {
      render: {
        text: (style) => (codes.length > 0 ? codesText(codes, style) : codeListText()),
        json: () => jsonText({ formatVersion: 1, codes: codesJson(codes) }),
      },
    };
  });
}
