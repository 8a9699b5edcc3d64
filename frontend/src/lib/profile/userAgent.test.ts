import { describe, expect, it } from 'vitest';
import { parseUserAgent } from './userAgent';

describe('the name of a browser', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/138.0 Safari/537.36 Edg/138.0', 'Edge', 'Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari', 'iPhone'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/138.0 Mobile Safari/537.36', 'Chrome', 'Android'],
  ])('is read from %s', (agent, browser, system) => {
    expect(parseUserAgent(agent)).toEqual({ browser, system });
  });

  it.each(['curl/8.5', '', '<script>'])('is unknown for %j', (agent) => {
    expect(parseUserAgent(agent)).toBeNull();
  });
});
