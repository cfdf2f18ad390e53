import assert from 'node:assert/strict';
import test from 'node:test';
import { sum, total } from './sum.mjs';

test('adds negative numbers', () => {
  assert.equal(sum(-2, -3), -5);
});

test('adds a list', () => {
  assert.equal(total([1, 2, 3, 4]), 10);
});
