import { describe, expect, test } from 'vitest';
import { checkApiKey, serviceUrl } from '../../../src/service/url.js';

describe('the URL of the service', () => {
  test.each([
    'https://collect.example.com',
    'https://collect.example.com/base/path/',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://localhost:1',
    'http://[::1]:1/x',
    'https://Collect.Example.com:443',
    'https://xn--bcher-kva.example',
  ])('%s is accepted', (text) => {
    expect(serviceUrl(text, {}).href).toBe(new URL(text).href);
  });

  test.each([
    '',
    'collect.example.com',
    'ftp://collect.example.com',
    'file:///etc/passwd',
    'http://collect.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[::2]',
    'https://user@collect.example.com',
    'https://user:hunter2@collect.example.com',
    'https://collect.example.com?hunter2',
    'https://collect.example.com?',
    'https://collect.example.com/#hunter2',
    ' https://collect.example.com',
    'https://collect\n.example.com',
    'https:\\\\collect.example.com',
    'https:collect.example.com',
    'https:///collect.example.com',
    'https://bücher.example',
    'https://cоllect.example.com',
    'https://coll%65ct.example.com',
    'https://0x7f.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://127.1',
    'http://0177.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://[0:0:0:0:0:0:0:1]',
    'http://localhost.',
    'http://LOCALHOST',
    'http://①②⑦.0.0.1',
  ])('%j is refused', (text) => {
    expect(() => serviceUrl(text, {})).toThrow('insecure-url');
    expect(() => serviceUrl(text, {})).not.toThrow('hunter2');
  });

  test('disabled certificate checks are refused', () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => serviceUrl('https://collect.example.com', env)).toThrow('insecure-url');
  });
});

describe('the API key', () => {
  test.each(['svc_live_abc', 'svc_live_abc\n', 'svc_live_abc\r\n'])('%j is accepted', (text) => {
    expect(checkApiKey(text)).toBe('svc_live_abc');
  });

  test.each([
    '',
    '\n',
    'svc_live_',
    'hunter2',
    '"svc_live_hunter2"',
    "'svc_live_hunter2'",
    'svc_live_hunter2\n\n',
    ' svc_live_hunter2',
    'svc_live_hun ter2',
    'svc_live_hunter2\u0000',
    'svc_live_hunter2é',
  ])('%j is refused and not shown', (text) => {
    expect(() => checkApiKey(text)).toThrow('missing-setting');
    expect(() => checkApiKey(text)).not.toThrow('hunter2');
  });
});
