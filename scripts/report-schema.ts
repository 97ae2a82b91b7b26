type Schema = { [keyword: string]: unknown };

/** schemas/report.schema.json: a report is the plan with its outcome, so its schema is made from that of the plan. */
export function reportSchema(planSchema: string): string {
  const plan = JSON.parse(planSchema) as Schema & {
    required: string[];
    properties: Record<string, Schema>;
    definitions: { change: { required: string[]; properties: Record<string, Schema> } };
  };
  const { snapshot: _, diagnostics, ...properties } = plan.properties;
  const { change } = plan.definitions;
  const report = {
    ...plan,
    $id: 'https://unpkg.com/rosterctl/schemas/report.schema.json',
    title: 'roster report',
    description: 'What `roster apply --format json` prints and `--report` writes: the plan with its outcome.',
    required: [...plan.required, 'converged'],
    properties: {
      ...properties,
      diagnostics: {
        ...diagnostics,
        description: 'Warnings, and the reasons why the apply was refused or is incomplete as errors.',
      },
      converged: {
        title: 'Converged',
        description:
          'True when the verification at the end found no more changes or, with --no-verify, when every change succeeded. If it is false, the exit code is 3.',
        type: 'boolean',
      },
    },
    definitions: {
      ...plan.definitions,
      change: {
        ...change,
        required: [...change.required, 'outcome', 'error'],
        properties: {
          ...change.properties,
          id: {
            ...change.properties['id'],
            description:
              'The id of the remote object, including a new one once it is known; null when there is none, or when the service shows none.',
          },
          outcome: {
            title: 'Outcome',
            description:
              'The outcome of the change: `done`, `failed`, `skipped` if it was not attempted, or `unknown` if the response was lost.',
            enum: ['done', 'failed', 'skipped', 'unknown'],
          },
          error: {
            title: 'Error',
            description: 'Why it failed, was not attempted or is unknown; null when it is done.',
            type: ['string', 'null'],
            examples: ['the service answered 404', null],
          },
        },
      },
    },
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
