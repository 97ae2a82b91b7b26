/**
 * The first statement of the command: an older Node would fail later, with a message about roster's own code. Plain
 * JavaScript, because it is for versions that know no more. Must agree with `engines` of package.json.
 */
export const nodeGuard = `(function (version) {
  var parts = version.split('.').map(Number), major = parts[0], minor = parts[1];
  if (major > 22 || (major === 22 && minor >= 9)) return;
  if (major === 20 && (minor > 18 || (minor === 18 && parts[2] >= 1))) return;
  process.stderr.write('error: roster needs Node 22.9 or later, or 20.18.1 or later on the 20 line. This is Node ' + version + '\\n');
  process.exit(1);
})(process.versions.node);
`;
