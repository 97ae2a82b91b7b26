// Applies the project of the working directory to a sandbox: takes the lock, carries out the plan, and reads back.
import { apply, diagnosticsText, Problem, planText, reportText, startSandbox, withSession } from 'roster';

const sandbox = await startSandbox();
const env = { ...process.env, ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
const style = { color: false, width: 100, verbose: false };
try {
  const report = await withSession({ cwd: process.cwd(), env }, async (session) => {
    const applied = await apply(
      session,
      { allow: { deletes: 5 }, lockTimeoutMilliseconds: 60_000 },
      { onPlan: (plan) => console.log(planText(session.redactor.value(plan), style)) },
    );
    return session.redactor.value(applied.report);
  });
  console.log(reportText(report, style));
  process.exitCode = report.converged ? 0 : 3;
} catch (failure) {
  if (!(failure instanceof Problem)) throw failure;
  console.error(diagnosticsText(failure.diagnostics, style));
  process.exitCode = 1;
} finally {
  await sandbox.close();
}
