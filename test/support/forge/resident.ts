import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { program } from '../program.js';
import { Workspace } from '../roster.js';
import { isAll } from '../size.js';

/**
 * The lines of a shell script that stands for roster on a machine. The command runs in the process of the tests, which takes a
 * fraction of the time of a process of its own; in the nightly run, it is a process.
 */
export const asRoster = isAll ? `exec '${process.execPath}' '${program}' "$@"` : await resident();

/** Words and environment are passed in files, and so is what the command prints. */
async function resident(): Promise<string> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').once('data', (folder: string) => {
      void run(folder.trimEnd()).then((exit) => socket.end(`${exit}\n`));
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  return `called=$(mktemp -d)
printf '%s\\0' "$(pwd -P)" "$@" > "$called/words"
env -0 > "$called/env"
exec 3<> /dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}
echo "$called" >&3
read -r code <&3
cat "$called/stdout"
cat "$called/stderr" >&2
rm -r "$called"
exit "$code"`;
}

async function run(folder: string): Promise<number> {
  const parts = (name: string) => readFileSync(join(folder, name), 'utf8').split('\0').slice(0, -1);
  const [cwd = '', ...words] = parts('words');
  const workspace = new Workspace({}, { url: '', apiKey: '' }, cwd);
  workspace.env = Object.fromEntries(
    parts('env').map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  );
  // The machine knows which variables are secrets, and reads the log.
  workspace.secretsOf = () => [];
  try {
    const { exit, stdout, stderr } = await workspace.command(words);
    return ended(folder, exit, stdout, stderr);
  } catch (error) {
    return ended(folder, 70, '', `${error instanceof Error ? error.stack : error}\n`);
  }
}

function ended(folder: string, exit: number, stdout: string, stderr: string): number {
  writeFileSync(join(folder, 'stdout'), stdout);
  writeFileSync(join(folder, 'stderr'), stderr);
  return exit;
}
