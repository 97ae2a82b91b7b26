import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../../src/service/proxy.js';

const service = 'https://collect.example.com/base';
const proxy = 'http://proxy.example.com:3128';
const through = (env: Record<string, string>, url = service) => proxyFor(new URL(url), env);

describe('the proxy of a service', () => {
  test.each([
    ['HTTPS_PROXY', { HTTPS_PROXY: proxy }, 'HTTPS_PROXY'],
    ['https_proxy', { https_proxy: proxy }, 'https_proxy'],
    [
      'both: the one in lower case',
      { https_proxy: proxy, HTTPS_PROXY: 'http://other.example.com' },
      'https_proxy',
    ],
    ['a host and a port', { HTTPS_PROXY: 'proxy.example.com:3128' }, 'HTTPS_PROXY'],
    ['a slash and spaces around it', { HTTPS_PROXY: ` ${proxy}/ ` }, 'HTTPS_PROXY'],
  ])('is the one of %s', (_, env, from) => {
    expect(through(env)).toEqual({ origin: proxy, authorization: null, from });
  });

  test.each([
    ['no variable', {}, service],
    ['HTTP_PROXY and ALL_PROXY alone', { HTTP_PROXY: proxy, ALL_PROXY: proxy }, service],
    ['an empty variable', { HTTPS_PROXY: '' }, service],
    ['an empty variable in lower case', { https_proxy: '', HTTPS_PROXY: proxy }, service],
    ['http', { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }, 'http://127.0.0.1:4000'],
    ['a loopback name', { HTTPS_PROXY: proxy }, 'https://localhost:4000'],
    ['a loopback address', { HTTPS_PROXY: proxy }, 'https://127.1.2.3'],
    ['a loopback address of IPv6', { HTTPS_PROXY: proxy }, 'https://[::1]:4000'],
  ])('is none with %s', (_, env, url) => {
    expect(through(env, url)).toBe(null);
  });

  test('gets user name and password as a header, and shows neither', () => {
    const { authorization, ...shown } =
      through({ HTTPS_PROXY: 'https://us%3Aer:p%40ss@proxy.example.com' }) ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('us:er:p@ss').toString('base64')}`);
    expect(shown).toEqual({ origin: 'https://proxy.example.com', from: 'HTTPS_PROXY' });
    expect(through({ HTTPS_PROXY: 'http://token@proxy.example.com' })?.authorization).toBe('Basic dG9rZW46');
  });

  test.each(['/path', '?a=b', '#a'])('is known by its host alone: %s has no meaning', (rest) => {
    expect(through({ HTTPS_PROXY: `http://me:x@proxy.example.com:3128${rest}` })?.origin).toBe(proxy);
    expect(through({ HTTPS_PROXY: proxy + rest })?.origin).toBe(proxy);
  });

  test.each([
    'socks5://hunter2@p',
    'http://',
    'http://hunter2@',
    'http://%:hunter2@p',
    'ftp://p',
    'http://a b',
    ...['http://', 'https://', ''].flatMap((scheme) =>
      ['hun/ter2', 'hun#ter2', 'hun?ter2', 'hun@ter2', 'hun\\ter2', '8080/hunter2', '12@x@y', '/12'].map(
        (password) => `${scheme}me:${password}@proxy.example.com:3128`,
      ),
    ),
    'http://me@there:x@proxy.example.com',
    'http://proxy.example.com:3128/me:hunter2@x',
    'http://me:hun%2zter@p',
  ])('is an error that does not show the value: %s', (value) => {
    expect(() => through({ HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({ message: 'proxy-error: `HTTPS_PROXY` is not the URL of an HTTP proxy' }),
    );
  });
});

describe('NO_PROXY', () => {
  const host = 'https://collect.example.com';
  test.each([
    [host, 'collect.example.com'],
    [host, 'example.com'],
    [host, '.example.com'],
    [host, '*.EXAMPLE.com'],
    [host, '*'],
    [host, 'other.test, example.com:443'],
    [host, 'other.test example.com'],
    [`${host}:8443`, 'example.com:8443'],
    ['https://10.1.2.3', '10.1.2.3'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://[2001:db8::1]', '2001:db8::1'],
    ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443'],
    ['https://[2001:db8::1]', '2001:db8::/32'],
    [host, 'collect.example.com.'],
    [host, '.Example.COM.:443'],
    ['https://collect.example.com.', 'example.com'],
    ['https://bücher.example', 'bücher.example'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'BÜCHER.example'],
    ['https://api.bücher.example', '.bücher.example:443'],
    ['https://10.1.2.3', '10.1.2.3:443'],
    ['https://[2001:db8::1]', '2001:0DB8:0:0::1'],
    ['https://[2001:db8::1]', '[2001:0DB8:0:0::1]:443'],
    ['https://[2001:db8::1]', '[2001:DB8::]/32'],
  ])('%s is reached directly with %s', (url, list) => {
    expect(through({ HTTPS_PROXY: proxy, NO_PROXY: list }, url)).toBe(null);
    expect(through({ HTTPS_PROXY: proxy, no_proxy: list, NO_PROXY: '' }, url)).toBe(null);
  });

  test.each([
    [host, ''],
    [host, 'ample.com'],
    [host, 'collect.example.com.test'],
    [host, 'example.com:8443'],
    [host, '10.0.0.0/8'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '3, 2.3, .3'],
    ['https://10.1.2.3', '10.0.0.0/99, 10.0.0.0/x, /8, 2001:db8::/32'],
    ['https://[2001:db9::1]', '2001:db8::/32'],
    ['https://[2001:db9::1]', '[2001:db8::]/32'],
    ['https://[2001:db8::1]', '[2001:0DB8:0:0::1]:8443'],
    [host, '., .., .:443'],
    ['https://bücher.example', 'bucher.example'],
  ])('%s is reached through the proxy with %j', (url, list) => {
    expect(through({ HTTPS_PROXY: proxy, NO_PROXY: list }, url)).not.toBe(null);
  });
});
