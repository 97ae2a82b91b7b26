/** Milliseconds of CPU time of `work`, which depends little on the load of the machine. */
export function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The lowest cost of three runs: garbage that earlier work left behind is collected in one of them, not in all. */
export function lowestCostOf(work: () => unknown): number {
  return Math.min(costOf(work), costOf(work), costOf(work));
}
