import { describe, expect, test } from 'vitest';
import { loaderOf } from '../../src/assert/planted.js';

describe('what loads a file by itself', () => {
  test.each([
    ['conftest.py', 'pytest'],
    ['tests/deep/conftest.py', 'pytest'],
    ['tests/a%0Ab/conftest.py', 'pytest'],
    ['a%E2%80%A8b/sitecustomize.py', 'Python'],
    ['x-1.0.dist-info/entry_points.txt', 'pytest'],
    ['vitest.config.mts', 'Jest, Vitest and the like'],
    ['pkg/.mocharc.json', 'Jest, Vitest and the like'],
    ['.npmrc', 'npm, Bun and Yarn'],
    ['.cargo/config.toml', 'Cargo'],
    ['src/conftest.ts', undefined],
    ['conftest.py.md', undefined],
    ['notes/pytest.ini.txt', undefined],
  ])('of the working directory: %s by %s', (path, loader) => {
    expect(loaderOf(path, 'workdir')).toBe(loader);
  });

  test.each([['.bashrc', 'shells'], ['.local/lib/python3.11/site-packages/x.pth', 'Python'], ['.local/bin/node', 'programs by their name'], ['deep/.bashrc', undefined], ['.claude/settings.json', undefined]])('of the home: %s by %s', (path, loader) => {
    expect(loaderOf(path, 'home')).toBe(loader);
  });
});
