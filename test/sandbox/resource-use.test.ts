import { describe, expect, test } from 'vitest';
import { parseResourceUse, TrafficMeter } from '../../src/sandbox/docker/resource-use.js';

const NETWORK = `/proc/net/dev:Inter-|   Receive                                                |  Transmit
/proc/net/dev: face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
/proc/net/dev:    lo:  999999      10    0    0    0     0          0         0   999999      10    0    0    0     0       0          0
/proc/net/dev:  eth0:    1234       9    0    0    0     0          0         0      567       5    0    0    0     0       0          0
/proc/net/dev:  eth1:12345678      20    0    0    0     0          0         0        1       1    0    0    0     0       0          0
`;
const V1 = `/sys/fs/cgroup/memory/memory.oom_control:oom_kill_disable 0
/sys/fs/cgroup/memory/memory.oom_control:under_oom 0
/sys/fs/cgroup/memory/memory.oom_control:oom_kill 3
/sys/fs/cgroup/memory/memory.max_usage_in_bytes:268435456
/sys/fs/cgroup/cpuacct/cpuacct.usage:1500000000
/sys/fs/cgroup/memory/cgroup.procs:1
/sys/fs/cgroup/memory/cgroup.procs:7
/sys/fs/cgroup/memory/cgroup.procs:21
/sys/fs/cgroup/memory/cgroup.procs:40
`;
const V2 = `/sys/fs/cgroup/memory.events:low 0
/sys/fs/cgroup/memory.events:oom 4
/sys/fs/cgroup/memory.events:oom_kill 3
/sys/fs/cgroup/memory.events:oom_group_kill 0
/sys/fs/cgroup/memory.peak:268435456
/sys/fs/cgroup/cpu.stat:usage_usec 1500000
/sys/fs/cgroup/cpu.stat:user_usec 1000000
/sys/fs/cgroup/cgroup.procs:1
/sys/fs/cgroup/cgroup.procs:7
/sys/fs/cgroup/cgroup.procs:21
/sys/fs/cgroup/cgroup.procs:40
`;
const told = { cpuSeconds: 1.5, peakMemoryBytes: 268_435_456, oomKills: 3, processesLeft: 1 };

describe('the counters of the kernel', () => {
  test.each([['1', V1], ['2', V2]])('are read from control groups of version %s', (_version, text) => {
    expect(parseResourceUse(text)).toEqual(told);
    expect(parseResourceUse(text + NETWORK)).toEqual({ ...told, network: { receivedBytes: 12_346_912, sentBytes: 568 } });
  });

  test('are absent one by one where a kernel does not have them', () => {
    const old = V2.split('\n').filter((line) => !line.includes('memory.peak') && !line.includes('oom_kill ')).join('\n');
    expect(parseResourceUse(old)).toEqual({ cpuSeconds: 1.5, processesLeft: 1 });
  });

  test('tell nothing of a network where there is only the loopback', () => {
    expect(parseResourceUse(NETWORK.split('\n').filter((line) => !line.includes('eth')).join('\n'))).toEqual({});
  });

  test.each(['', 'grep: x', '/sys/fs/cgroup/memory.peak:max', '/sys/fs/cgroup/memory.peak:', '/sys/fs/cgroup/cgroup.procs:1', '/proc/net/dev:eth0', '/proc/net/dev: eth0: a b'])('are absent in %j', (text) => {
    expect(parseResourceUse(text)).toEqual({});
  });

  test('survive a text that is cut anywhere', () => {
    for (let end = 0; end <= V1.length; end += 1) expect(() => parseResourceUse(V1.slice(0, end))).not.toThrow();
  });
});

describe('the traffic of a network that sandboxes use in turn', () => {
  const bytes = (receivedBytes: number, sentBytes: number): { receivedBytes: number; sentBytes: number } => ({ receivedBytes, sentBytes });

  test('is shared out among them', () => {
    const meter = new TrafficMeter();
    expect(meter.begin()(bytes(100, 10))).toEqual(bytes(100, 10));
    expect(meter.begin()(bytes(150, 30))).toEqual(bytes(50, 20));
  });

  test('is told again from the beginning of a user that asks twice', () => {
    const share = new TrafficMeter().begin();
    share(bytes(5, 5));
    expect(share(bytes(7, 8))).toEqual(bytes(7, 8));
  });

  test('is not told of a user whose predecessor went unread, and is told of the next', () => {
    const meter = new TrafficMeter();
    meter.begin();
    expect(meter.begin()(bytes(100, 10))).toBeUndefined();
    expect(meter.begin()(bytes(101, 12))).toEqual(bytes(1, 2));
    expect(meter.begin()(undefined)).toBeUndefined();
    expect(meter.begin()(bytes(200, 200))).toBeUndefined();
  });
});
