import { describe, expect, it } from 'vitest';
import { allowsHost, isSameAccess, networkAccessProblem } from '../../src/sandbox/network-access.js';

describe('where a sandbox may talk to', () => {
  it.each(['open', 'model-only', 'none', { allow: ['registry.npmjs.org'] }, { allow: ['*.debian.org', 'a_b.example', 'x.'] }])('takes %j', (access) => {
    expect(networkAccessProblem(access)).toBeUndefined();
  });

  it.each([
    ['closed', 'it must be'],
    [true, 'it must be'],
    [null, 'it must be'],
    [{ allow: [] }, 'its list of hosts is empty'],
    [{ allow: ['a.example'], deny: [] }, 'it must be'],
    [{ allow: 'a.example' }, 'it must be'],
    [{ allow: ['https://a.example'] }, '"https://a.example" is no name of a host'],
    [{ allow: ['a.example:443'] }, '"a.example:443" is no name'],
    [{ allow: ['a.example/path'] }, 'is no name'],
    [{ allow: ['10.0.0.1'] }, 'addresses cannot be allowed'],
    [{ allow: ['*'] }, 'is no name'],
    [{ allow: ['a.*.example'] }, 'is no name'],
    [{ allow: ['a..example'] }, 'is no name'],
    [{ allow: [''] }, 'is no name'],
    [{ allow: [7] }, '7 is no name'],
  ])('refuses %j', (access, message) => {
    expect(networkAccessProblem(access)).toContain(message);
  });

  it.each([
    ['a.example', 'a.example', true],
    ['a.example', 'A.EXAMPLE.', true],
    ['A.Example', 'a.example', true],
    ['a.example', 'b.a.example', false],
    ['a.example', 'xa.example', false],
    ['*.example', 'a.example', true],
    ['*.example', 'b.a.example', true],
    ['*.example', 'example', false],
    ['*.example', '.example', false],
    ['*.a.example', 'xa.example', false],
    ['a.example', '', false],
  ])('by %s allows %s: %s', (entry, name, allowed) => {
    expect(allowsHost([entry], name)).toBe(allowed);
  });

  it('knows two lists with the same hosts as one', () => {
    expect(isSameAccess({ allow: ['a.x', 'B.x'] }, { allow: ['b.x.', 'a.x'] })).toBe(true);
    expect(isSameAccess({ allow: ['a.x'] }, { allow: ['b.x'] })).toBe(false);
    expect(isSameAccess('open', 'none')).toBe(false);
    expect(isSameAccess('open', { allow: ['open'] })).toBe(false);
  });
});
