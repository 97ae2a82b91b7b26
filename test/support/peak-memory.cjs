/** Prints the largest resident size of the process at its end, in kB. */
process.on('exit', () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`);
});
