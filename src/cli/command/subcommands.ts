import { suggest } from '../../manifest/suggest.js';
import { problem } from '../../model/diagnostic.js';
import type { Command } from './commander.js';
import { declarations } from './declarations.js';
import { fullName } from './full-name.js';

/** Flags after a subcommand are its own, and before it there must be none: they would have no effect. */
export function withSubcommands(program: Command, parent: Command): void {
  // Both: a program without it would sort the flags out first.
  program.enablePositionalOptions();
  parent.enablePositionalOptions().hook('preSubcommand', (_, subcommand) => {
    const early = parent.options.find(
      (option) => parent.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (early === undefined) return;
    const line = `roster ${fullName(subcommand)} ${early.long}`;
    parent.error(`error: write '${early.long}' after the subcommand, as in '${line}'`);
  });
}

/** What may follow the command in place of a subcommand, and the subcommand for a single id. */
const usual = {
  runs: { address: 'group/retail-prices', withId: 'show' },
  data: { address: 'agent/acme-shop', withId: 'preview' },
} as const;

/** An address has a slash: any other word was meant as a subcommand, or is an id. */
export function checkAddress(text: string, command: keyof typeof usual): void {
  if (text.includes('/')) return;
  const { address, withId } = usual[command];
  const names = subcommandsOf(command);
  const near = suggest(text, names);
  const help =
    near === null
      ? `Pass an address such as \`${address}\`, or one of: ${names.join(', ')}. With an id: \`roster ${command} ${withId} ID\`.`
      : `Did you mean \`roster ${command} ${near}\`?`;
  throw problem('usage', `"${text}" is neither an address nor a subcommand`, help);
}

function subcommandsOf(command: string): string[] {
  return Object.keys(declarations).flatMap((name) => {
    const [first, second, third] = name.split(' ');
    return first === command && second !== undefined && third === undefined ? [second] : [];
  });
}
