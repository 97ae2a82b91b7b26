import { problem } from '../model/diagnostic.js';
import { codeListText, codesJson, codesText, isCode } from '../view/code-texts.js';
import { jsonText } from '../view/json/plan-json.js';
import type { Implementation } from './command/command.js';
import type { explainCommand } from './commands/tools.js';

/** `roster explain [CODE…]`: what diagnostic codes mean, and what to do. Without a code, it lists them. */
export const runExplain: Implementation<typeof explainCommand> = async (words, _flags, _context) => {
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
};
