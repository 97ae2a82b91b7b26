// Applies the project of the working directory to a sandbox: takes the lock, carries out the plan, and reads back.
import * as roster from 'rosterctl';

// An inventory belongs to one service: with another port, the sandbox would be another one.
const port = Number(process.env.PORT ?? 4011);
const sandbox = await roster.startSandbox({ port, dataFile: 'sandbox.json' });
const redactor = new roster.Redactor();
const env = { ...process.env, ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
const options = { allow: { deletes: 5 }, lockTimeoutMilliseconds: 60_000 };
const style = { color: false, width: 100, verbose: false };
const onPlan = (plan) => console.log(roster.planText(redactor.value(plan), style));
try {
  const { report } = await roster.withSession({ cwd: process.cwd(), env, redactor }, (session) =>
    roster.apply(session, options, { onPlan }),
  );
  console.log(roster.reportText(redactor.value(report), style));
  process.exitCode = roster.isComplete(report) ? 0 : 3;
} catch (failure) {
  if (!(failure instanceof roster.Problem)) throw failure;
  console.error(roster.diagnosticsText(redactor.value(failure.diagnostics), style));
  process.exitCode = 1;
} finally {
  await sandbox.close();
}
