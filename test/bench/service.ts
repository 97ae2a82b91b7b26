import { spawn } from 'node:child_process';

/** A sandbox in a process of its own. */
export interface Service {
  readonly env: { readonly ROSTER_URL: string; readonly ROSTER_API_KEY: string };
  close(): Promise<void>;
}

/** Starts `roster sandbox` of a build. Its clock stands still, so that no schedule starts anything. */
export async function startService(program: string, seedFile: string): Promise<Service> {
  const words = ['sandbox', '--port', '0', '--speed', '0', '--format', 'json', '--seed', seedFile];
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => void child.kill();
  // Also when the bench fails.
  process.once('exit', stop);
  const gone = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const { url, apiKey } = await new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    let [text, problem] = ['', ''];
    child.stdout.on('data', (more: Buffer) => {
      text += more.toString();
      if (text.endsWith('\n}\n')) resolve(JSON.parse(text));
    });
    child.stderr.on('data', (more: Buffer) => {
      problem += more.toString();
    });
    child.on('close', (status) => reject(new Error(`the sandbox ended with ${status}: ${problem}`)));
  });
  return {
    env: { ROSTER_URL: url, ROSTER_API_KEY: apiKey },
    close: async () => {
      process.off('exit', stop);
      stop();
      await gone;
    },
  };
}
