// Stands in for `gh api`: as much of GitHub as the workflows ask for, in a JSON file. Refuses what GitHub would refuse, and
// every call that is not well-formed. Arguments: that file, then gh's own.
import { readFileSync, writeFileSync } from 'node:fs';

const [file, ...words] = process.argv.slice(2);
const state = JSON.parse(readFileSync(file, 'utf8'));
const { method, path, query, fields, paginate, silent } = parse(words);
if (process.env.GH_TOKEN !== state.token) fail(401, 'Bad credentials');

const routes = [
  ['GET', /^commits\/([0-9a-f]{40})\/pulls$/, listPulls],
  ['GET', /^issues\/(\d+)\/comments$/, listComments],
  ['POST', /^issues\/(\d+)\/comments$/, addComment],
  ['PATCH', /^issues\/comments\/(\d+)$/, changeComment],
  ['GET', /^issues$/, listIssues],
  ['POST', /^issues$/, addIssue],
  ['PATCH', /^issues\/(\d+)$/, changeIssue],
];
const prefix = `repos/${state.repository}/`;
if (!path.startsWith(prefix)) fail(404, path);
const [, pattern, run] =
  routes.find(([verb, each]) => verb === method && each.test(path.slice(prefix.length))) ?? fail(404, path);
const answer = run(...pattern.exec(path.slice(prefix.length)).slice(1));
if (method !== 'GET') writeFileSync(file, JSON.stringify(state, null, 2));
if (!silent) print(answer);

/** Pages of two, one JSON text after the other, as gh prints them; without --paginate the first alone. */
function print(list) {
  const pages = [];
  for (let at = 0; at === 0 || at < list.length; at += 2) pages.push(JSON.stringify(list.slice(at, at + 2)));
  console.log(paginate ? pages.join('') : pages[0]);
}

function listPulls(commit) {
  need('pull-requests', 'read');
  return state.pulls.filter((each) => each.commits.includes(commit));
}

function listComments(number) {
  need(kindOf(number), 'read');
  return state.comments.filter((each) => each.issue === Number(number));
}

function addComment(number) {
  need(kindOf(number), 'write');
  const times = { created_at: now(), updated_at: now() };
  state.comments.push({ id: next(), issue: Number(number), user: bot(), body: bodyOf(), ...times });
}

function changeComment(id) {
  const comment = state.comments.find((each) => each.id === Number(id)) ?? fail(404, path);
  need(kindOf(comment.issue), 'write');
  Object.assign(comment, { body: bodyOf(), updated_at: now() });
}

function listIssues() {
  need('issues', 'read');
  const label = query.get('labels');
  return state.issues.filter(
    (each) => each.state === query.get('state') && each.labels.some(({ name }) => name === label),
  );
}

function addIssue() {
  need('issues', 'write');
  const labels = fields['labels[]'].map((name) => ({ name }));
  const title = fields.title?.[0] || fail(422, 'title is missing');
  state.issues.push({ number: next(), title, body: bodyOf(), labels, state: 'open', user: bot() });
}

function changeIssue(number) {
  need('issues', 'write');
  const issue = state.issues.find((each) => each.number === Number(number)) ?? fail(404, path);
  if (fields.body !== undefined) issue.body = bodyOf();
  if (fields.state !== undefined) issue.state = fields.state[0];
}

function kindOf(number) {
  return state.pulls.some((each) => each.number === Number(number)) ? 'pull-requests' : 'issues';
}

function need(scope, level) {
  const given = state.permissions[scope];
  if (given !== 'write' && given !== level) fail(403, `Resource not accessible: ${scope} is ${given}`);
}

function bodyOf() {
  const body = fields.body?.[0] || fail(422, 'body is missing');
  return body.length <= 65_536 ? body : fail(422, 'body is too long');
}

function bot() {
  return { login: 'github-actions[bot]' };
}

function next() {
  state.last += 1;
  return state.last;
}

/** Time goes on by a second with each change. */
function now() {
  return new Date(Date.parse('2026-11-01T00:00:00Z') + next() * 1000).toISOString().replace('.000', '');
}

function parse([command, ...rest]) {
  if (command !== 'api') fail(0, `gh ${command} is not known`);
  const parsed = { method: 'GET', path: undefined, fields: {}, paginate: false, silent: false };
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--paginate') parsed.paginate = true;
    else if (word === '--silent') parsed.silent = true;
    else if (word === '--method') parsed.method = rest.shift();
    else if (word === '--field' || word === '--raw-field') addField(parsed.fields, word, rest.shift());
    else if (word.startsWith('-') || parsed.path !== undefined) fail(0, `not understood: ${word}`);
    else parsed.path = word;
  }
  const [path, search = ''] = (parsed.path ?? fail(0, 'no path')).split('?');
  if (parsed.paginate && !/(^|&)per_page=100(&|$)/.test(search)) fail(0, 'pages of 30');
  return { ...parsed, path, query: new URLSearchParams(search) };
}

function addField(fields, flag, word) {
  const [, name, value] = /^([\w[\]]+)=([\s\S]*)$/.exec(word) ?? fail(0, `not a field: ${word}`);
  const text = flag === '--field' && value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value;
  fields[name] = [...(fields[name] ?? []), text];
}

function fail(status, message) {
  console.error(`gh: ${message} (HTTP ${status})`);
  process.exit(1);
}
