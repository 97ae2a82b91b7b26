import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** A command and its flags, for a shell to complete. */
export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
}

const shells: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = { bash, zsh, fish };

/** `roster completion SHELL`: a script that is generated from the command line itself, so that it is always current. */
export function completionCommand(
  shell: string,
  commands: readonly CommandWords[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, ['text', 'json'], context, async () => {
    const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
    const help = `One of: ${Object.keys(shells).join(', ')}.`;
    if (write === undefined) throw problem('usage', `there is no completion for "${shell}"`, help);
    const script = write(commands);
    return {
      render: { text: () => script, json: () => jsonText({ formatVersion: 1, shell, script }) },
    };
  });
}

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map(
    ({ name, flags }) => `    ${name}) words="${flags.map((flag) => flag.long).join(' ')} --help" ;;`,
  );
  return `# roster completion for bash: source <(roster completion bash)
_roster() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map((each) => each.name).join(' ')} help --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _roster roster
`;
}

function zsh(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name, description }) => `    ${quote(`${name}:${description}`)}`);
  const cases = commands.map(({ name, flags }) => {
    const specs = flags.map(({ long, description, takesValue }) =>
      quote(`${long}[${description.replace(/[[\]]/g, '')}]${takesValue ? ':value:_files' : ''}`),
    );
    return `    ${name}) _arguments ${specs.join(' ')} '*:file:_files' ;;`;
  });
  return `#compdef roster
# roster completion for zsh: roster completion zsh > "\${fpath[1]}/_roster"
_roster() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local name="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$name" in
${cases.join('\n')}
  esac
}
_roster "$@"
`;
}

function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, description, flags }) => [
    `complete -c roster -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
    ...flags.map(({ long, short, description: text, takesValue }) => {
      const shortFlag = short === undefined ? '' : ` -s ${short.slice(1)}`;
      return `complete -c roster -n '__fish_seen_subcommand_from ${name}'${shortFlag} -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quote(text)}`;
    }),
  ]);
  return `# roster completion for fish: roster completion fish | source\n${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}
