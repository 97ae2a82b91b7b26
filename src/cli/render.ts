import { render, renderedYaml } from '../engine/render.js';
import { diagnosticJson, jsonText } from '../view/json/diagnostics-json.js';
import type { Implementation } from './command/command.js';
import { projectOptions } from './command/flags.js';
import type { renderCommand } from './commands/inspect.js';

/** `roster render`: the project as roster understands it, offline. */
export const runRender: Implementation<typeof renderCommand> = async (addresses, flags, context) => {
  const { project, manifest, warnings } = render(projectOptions(flags, context), addresses);
  const { environment } = project;
  const shown = context.output.redactor.value(manifest);
  const yaml = () => renderedYaml({ manifest: shown });
  return {
    diagnostics: warnings,
    render: {
      text: yaml,
      yaml,
      json: () =>
        jsonText({ formatVersion: 1, environment, ...shown, diagnostics: warnings.map(diagnosticJson) }),
    },
  };
};
