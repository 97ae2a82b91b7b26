import { kinds } from '../kinds/index.js';
import { type Loaded, loadProject } from '../manifest/load.js';
import type { Output } from './output.js';
import { checkOutputs, type Outputs } from './output-files.js';
import { type CommonFlags, environmentName, type Host } from './settings.js';

/** The project that the flags mean. What came from the environment is hidden from here on, errors or not. */
export function load(flags: CommonFlags & Outputs, host: Host, output: Output): Loaded {
  const loaded = loadProject({
    ...(flags.file === undefined ? {} : { file: flags.file }),
    cwd: host.cwd,
    environment: environmentName(flags, host),
    env: host.env,
    now: host.now?.() ?? new Date(),
    kinds,
  });
  output.hide(loaded.secrets);
  checkOutputs(flags, loaded.paths, host);
  return loaded;
}
