import { describe, expect, test } from 'vitest';
import { AttemptNetwork } from '../../src/run/attempt-network.js';
import type { GatewayLease } from '../../src/run/model-access.js';
import type { ClosedNetwork, NetworkState } from '../../src/sandbox/sandbox.js';

/** A network at the border of the engine: it tells what it was asked for, and refuses what it is told to. */
function openNetwork(refused?: NetworkState) {
  const asked: string[] = [];
  const network = {
    serviceAddress: '10.213.0.14',
    switchTo: (state: NetworkState) => { asked.push(state); return state === refused ? Promise.reject(new Error('the engine refused')) : Promise.resolve(); },
  } as unknown as ClosedNetwork;
  const lease = {
    network: { kind: 'closed', network },
    gateway: { control: { allow: (_address: string, hosts: readonly string[]) => { asked.push(`allow ${hosts.join(',')}`); return Promise.resolve([]); } }, letOut: () => { asked.push('let out'); return Promise.resolve(); } },
    giveBack: () => { asked.push('given back'); },
    drop: () => { asked.push('dropped'); return Promise.resolve(); },
  } as unknown as GatewayLease;
  return { asked, network, lease };
}

const PHASES = { prepare: 'model-only', agent: 'model-only', grade: 'open' } as const;

describe('the network of an Attempt', () => {
  test('changes where a phase wants it, closes before it is given back', async () => {
    const { asked, network, lease } = openNetwork();
    const own = await AttemptNetwork.begin(lease, { ...PHASES, agent: { allow: ['a.example'] } }, network);
    await own.enter('agent', 'c');
    await own.enter('grade');
    await own.leave();
    expect(asked).toEqual(['allow ', 'let out', 'allow a.example', 'allow ', 'open', 'closed', 'allow ', 'given back']);
  });

  test('is used no more once a change has failed: an agent must not work in a network that nobody knows the state of', async () => {
    const { asked, network, lease } = openNetwork('open');
    const own = await AttemptNetwork.begin(lease, PHASES, network);
    await own.enter('agent', 'c');
    await expect(own.enter('grade')).rejects.toThrow('the engine refused');
    await expect(own.enter('agent', 'c')).rejects.toThrow('the engine refused');
    await own.leave();
    expect(asked.at(-1)).toBe('dropped');
  });

  test('stays the agent\'s while it waits for an answer', async () => {
    const { asked, network, lease } = openNetwork();
    const own = await AttemptNetwork.begin(lease, PHASES, network);
    await own.enter('agent', 'c');
    own.hold('c');
    await own.enter('grade');
    expect(asked).not.toContain('open');
    await own.enter('agent', 'c');
    await own.enter('grade');
    expect(asked.at(-1)).toBe('open');
  });

  test('of a sandbox that is kept is nobody else\'s afterwards', async () => {
    const { asked, network, lease } = openNetwork();
    const own = await AttemptNetwork.begin(lease, PHASES, network);
    await own.leave({ retire: true });
    expect(asked).toEqual(['allow ', 'allow ']);
  });
});
