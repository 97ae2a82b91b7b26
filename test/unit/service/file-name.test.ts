import { expect, test } from 'vitest';
import { fileNameOf } from '../../../src/service/downloads.js';

test.each([
  ['attachment; filename="acme-2026.csv"', 'acme-2026.csv'],
  ['attachment; filename=acme.csv', 'acme.csv'],
  ["attachment; filename=x.csv; filename*=UTF-8''caf%C3%A9.csv", 'café.csv'],
  ["attachment; filename=x.csv; filename*=utf-8'en'caf%C3%A9.csv", 'café.csv'],
  ['inline; xfilename="a.zip"; filename="a.csv"', 'a.csv'],
  ['attachment;filename=acme.csv', 'acme.csv'],
  ['attachment; filename="../../etc/passwd"', 'etc_passwd'],
  ['attachment; filename="..\\\\..\\\\x.csv"', 'x.csv'],
  ['attachment; filename="/abs/x.csv"', 'abs_x.csv'],
  ['attachment; filename=".bashrc"', 'bashrc'],
  ['attachment; filename="a\u001b[31m\u202eb.csv"', 'a_[31m_b.csv'],
  ['attachment; filename="CON.csv"', 'file-CON.csv'],
  ['attachment; filename="..."', null],
  ['attachment', null],
  [null, null],
  [`attachment; filename="${'x'.repeat(300)}.csv"`, `${'x'.repeat(146)}.csv`],
])('file name: %j gives %j', (header, name) => {
  expect(fileNameOf(header)).toBe(name);
});
