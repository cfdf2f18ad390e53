import { describe, expect, it } from 'vitest';
import { mayLimitStorage } from '../../src/sandbox/docker/disk-watch.js';

describe('whether the engine limits what a container writes', () => {
  // As `docker info --format '{{json .}}'` of engines prints it: this one on ext4, others from the reference of the storage drivers.
  it.each([
    [{ Driver: 'overlay2', DriverStatus: [['Backing Filesystem', 'extfs'], ['Supports d_type', 'true'], ['Native Overlay Diff', 'true']] }, false],
    [{ Driver: 'overlay2', DriverStatus: [['Backing Filesystem', 'xfs'], ['Supports d_type', 'true']] }, true],
    [{ Driver: 'overlay2', DriverStatus: null }, false],
    [{ Driver: 'btrfs', DriverStatus: [['Build Version', 'Node Version']] }, true],
    [{ Driver: 'zfs', DriverStatus: [['Zpool', 'data']] }, true],
    [{ Driver: 'vfs', DriverStatus: null }, false],
    [{ Driver: 'overlayfs', DriverStatus: [['driver-type', 'io.containerd.snapshotter.v1']] }, false],
    [{}, false],
  ])('%j: %s', (info, may) => {
    expect(mayLimitStorage(info)).toBe(may);
  });
});
