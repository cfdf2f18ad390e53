import { describe, expect, test } from 'vitest';
import { docker } from '../../src/sandbox/docker/spec.js';
import type { ResourceLimits } from '../../src/sandbox/sandbox.js';

const limited = (resources: unknown) => () => docker({ resources: resources as ResourceLimits });

describe('the limits of a sandbox', () => {
  test('are taken as they are', () => {
    const resources = { cpus: 0.5, memoryBytes: 256 * 1024 ** 2, pids: 64, nofile: 1024 };
    expect(docker({ resources })).toEqual({ kind: 'sandbox-spec', backend: 'docker', resources });
    expect(docker({ resources: {} })).toEqual({ kind: 'sandbox-spec', backend: 'docker', resources: {} });
  });

  test.each([
    [{ files: 3 }, 'docker({ resources }) does not know the limit "files". It knows cpus, memoryBytes, pids, nofile, diskBytes.'],
    [{ constructor: 3 }, 'docker({ resources }) does not know the limit "constructor". It knows cpus, memoryBytes, pids, nofile, diskBytes.'],
    [{ nofile: 63 }, 'docker({ resources: { nofile } }) must be a whole number of at least 64, not 63.'],
    [{ nofile: 100.5 }, 'docker({ resources: { nofile } }) must be a whole number of at least 64, not 100.5.'],
    [{ pids: -1 }, 'docker({ resources: { pids } }) must be a whole number of at least 16, not -1.'],
    [{ pids: '64' }, 'docker({ resources: { pids } }) must be a whole number of at least 16, not 64.'],
    [{ memoryBytes: 4 }, 'docker({ resources: { memoryBytes } }) must be a whole number of at least 6291456, not 4.'],
    [{ memoryBytes: undefined }, 'docker({ resources: { memoryBytes } }) must be a whole number of at least 6291456, not undefined.'],
    [{ cpus: 0 }, 'docker({ resources: { cpus } }) must be a number of at least 0.01, not 0.'],
    [{ cpus: Infinity }, 'docker({ resources: { cpus } }) must be a number of at least 0.01, not Infinity.'],
    [{ cpus: NaN }, 'docker({ resources: { cpus } }) must be a number of at least 0.01, not NaN.'],
  ])('are refused as %j', (resources, message) => {
    expect(limited(resources)).toThrow(new TypeError(message));
  });
});

describe('other settings of a sandbox', () => {
  test('are taken as they are', () => {
    expect(docker({ runtime: 'runsc', readOnlyRoot: true, resources: { pids: 64 } })).toEqual({ kind: 'sandbox-spec', backend: 'docker', runtime: 'runsc', readOnlyRoot: true, resources: { pids: 64 } });
  });

  test.each([
    [{ runtime: '' }, 'docker({ runtime }) must be the name of a runtime, for instance "runsc".'],
    [{ runtime: 'runsc --debug' }, 'docker({ runtime }) must be the name of a runtime, for instance "runsc".'],
    [{ runtime: 7 }, 'docker({ runtime }) must be the name of a runtime, for instance "runsc".'],
    [{ readOnlyRoot: 'yes' }, 'docker({ readOnlyRoot }) must be true or false.'],
    [{ readOnlyRoot: true, resources: { diskBytes: 2 ** 30 } }, 'docker() takes `readOnlyRoot` or `resources.diskBytes`, not both: nothing limits the size of the volumes that can be written then.'],
    [{ resources: { diskBytes: 1024 } }, 'docker({ resources: { diskBytes } }) must be a whole number of at least 1048576, not 1024.'],
  ])('are refused as %j', (options, message) => {
    expect(() => docker(options as Parameters<typeof docker>[0])).toThrow(new TypeError(message));
  });
});
