import { expect, test } from 'vitest';
import { checksOf, type EngineFacts } from '../../src/sandbox/docker/health.js';

const GIB = 1024 ** 3;
const good: EngineFacts = {
  apiVersion: '1.41', version: '20.10.24', storageDriver: 'overlay2', cgroupVersion: '1', limits: { memory: true, swap: true, cpu: true, pids: true },
  securityOptions: ['name=seccomp,profile=default'], hasInit: true, networks: 4, freeBytes: 50 * GIB, images: ['niceeval/sandbox:1'], leftovers: 0,
};
const troubles = (facts: Partial<EngineFacts>): readonly string[] => checksOf({ ...good, ...facts }, 'here').filter(({ state }) => state !== 'ok').map(({ name, state, remedy }) => `${state} ${name}${remedy === undefined ? ' without a remedy' : ''}`);

test.each<[string, Partial<EngineFacts>, readonly string[]]>([
  ['a good engine', {}, []],
  ['a newer one', { apiVersion: '1.51' }, []],
  ['one of another age', { apiVersion: '1.40' }, ['failed engine']],
  ['API 1.5, which is older than 1.41', { apiVersion: '1.5' }, ['failed engine']],
  ['a disk that is nearly full', { freeBytes: 0.5 * GIB }, ['failed disk']],
  ['a disk that gets full', { freeBytes: 4 * GIB }, ['warning disk']],
  ['a disk of another machine', { freeBytes: undefined } as unknown as Partial<EngineFacts>, []],
  ['limits that the kernel lacks', { limits: { memory: true, swap: false, cpu: true, pids: false } }, ['warning limits']],
  ['no filter of system calls', { securityOptions: ['name=apparmor'] }, ['warning hardening']],
  ['no init', { hasInit: false }, ['warning init']],
  ['many networks', { networks: 28 }, ['warning networks']],
  ['no image', { images: [] }, ['warning image']],
  ['leftovers', { leftovers: 3 }, ['warning leftovers']],
])('%s', (_what, facts, expected) => {
  expect(troubles(facts)).toEqual(expected);
});
