import { z } from 'zod';
import { claimSchema } from '../assert/claim.js';
import { evidenceCoverageSchema } from '../evidence/coverage.js';
import { streamEventSchema } from '../evidence/events.js';
import { workspaceChangesSchema } from '../evidence/file-changes.js';
import { integrityReportSchema } from '../evidence/integrity.js';
import { jsonValueSchema } from '../evidence/json.js';
import { usageSchema } from '../evidence/usage.js';
import { scoreSchema, verdictCauseSchema, verdictSchema } from '../verdict/verdict.js';

/** The version of every file that this package writes. A reader takes unknown fields as they come. */
export const SCHEMA_VERSION = 1;

const head = <F extends string>(format: F) => ({ format: z.literal(format), schemaVersion: z.literal(SCHEMA_VERSION) });
const count = z.number().int().nonnegative();
const networkAccessSchema = z.union([z.string(), z.object({ allow: z.array(z.string()) })]);

const failureSchema = z.object({ kind: z.string(), infrastructure: z.boolean() });

export const attemptFileSchema = z.object({
  ...head('niceeval.attempt'),
  id: z.string(),
  evalId: z.string(),
  experimentId: z.string(),
  index: z.number().int().positive(),
  agent: z.string(),
  model: z.string().exactOptional(),
  reasoningEffort: z.string().exactOptional(),
  flags: z.record(z.string(), jsonValueSchema),
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
  metadata: z.record(z.string(), jsonValueSchema),
  // Records of before there were evals that give points lack these two.
  evaluationKind: z.enum(['pass', 'score']).default('pass'),
  image: z.object({
    id: z.string(),
    reference: z.string(),
    sources: z.array(z.object({ repo: z.string(), ref: z.string(), commit: z.string(), path: z.string().exactOptional() })).exactOptional(),
  }).exactOptional(),
  verdict: verdictSchema,
  reasons: z.array(z.string()),
  causes: z.array(verdictCauseSchema).default([]),
  score: scoreSchema.exactOptional(),
  interrupted: z.boolean(),
  error: z.object({
    phase: z.string(),
    code: z.string(),
    message: z.string(),
    timeout: z.object({ limitMs: z.number(), source: z.string() }).exactOptional(),
    send: z.object({ kind: z.string(), httpStatus: z.number().int().exactOptional() }).exactOptional(),
  }).exactOptional(),
  failure: failureSchema.exactOptional(),
  skipped: z.string().exactOptional(),
  turns: z.array(z.object({
    session: z.number().int().positive(),
    turn: z.number().int().positive(),
    label: z.string(),
    status: z.enum(['completed', 'failed', 'waiting']),
    coverage: evidenceCoverageSchema,
    usage: usageSchema.exactOptional(),
    data: jsonValueSchema.exactOptional(),
    startedAt: z.string(),
    durationMs: z.number(),
    failure: z.object({ kind: z.string(), message: z.string() }).exactOptional(),
  })),
  usage: usageSchema,
  estimatedCostUSD: z.number().nonnegative().exactOptional(),
  estimateNotes: z.array(z.string()).exactOptional(),
  unpriced: z.object({ models: z.array(z.string()), reason: z.string() }).exactOptional(),
  judge: z.object({ usage: usageSchema, estimatedCostUSD: z.number().nonnegative().exactOptional() }).exactOptional(),
  gateway: z.object({ requests: count, usage: usageSchema }).exactOptional(),
  sandbox: z.string().exactOptional(),
  resources: z.object({
    cpuSeconds: z.number().nonnegative().exactOptional(),
    peakMemoryBytes: count.exactOptional(),
    memoryLimitBytes: count.exactOptional(),
    diskBytes: count.exactOptional(),
    diskLimitBytes: count.exactOptional(),
    oomKills: count.exactOptional(),
    processesLeft: count.exactOptional(),
    network: z.object({ receivedBytes: count, sentBytes: count }).exactOptional(),
  }).exactOptional(),
  network: z.object({
    access: z.object({ prepare: networkAccessSchema, agent: networkAccessSchema, grade: networkAccessSchema }),
    denied: z.array(z.object({ phase: z.string(), via: z.string(), host: z.string(), count })),
  }).exactOptional(),
  integrity: integrityReportSchema.exactOptional(),
  kept: z.object({ name: z.string(), until: z.string() }).exactOptional(),
  diagnostics: z.array(z.object({ code: z.string(), level: z.enum(['warning', 'error']).exactOptional(), message: z.string(), data: jsonValueSchema.exactOptional() })),
  logs: z.array(z.string()),
  startedAt: z.string(),
  timings: z.object({ queuedMs: z.number(), sandboxMs: z.number(), testMs: z.number(), teardownMs: z.number(), totalMs: z.number() }),
});

export const claimsFileSchema = z.object({ ...head('niceeval.claims'), claims: z.array(claimSchema) });

export const changesFileSchema = z.object({ ...head('niceeval.changes'), changes: workspaceChangesSchema, leftOutOfPatch: z.array(z.object({ path: z.string(), reason: z.string() })).exactOptional() });

/** One line of `events.jsonl`. */
export const eventLineSchema = z.object({ session: z.number().int(), turn: z.number().int(), event: streamEventSchema });

export const runFileSchema = z.object({
  ...head('niceeval.run'),
  runId: z.string(),
  sandbox: z.string().exactOptional(),
  startedAt: z.string(),
  durationMs: z.number(),
  interrupted: z.boolean(),
  counts: z.object({ total: count, passed: count, failed: count, errored: count, skipped: count, infrastructure: count.exactOptional() }),
  // Records of before there were summaries have only ids and verdict.
  attempts: z.array(z.object({
    id: z.string(), evalId: z.string(), experimentId: z.string(), index: z.number(), verdict: verdictSchema,
    agent: z.string().exactOptional(),
    model: z.string().exactOptional(),
    failure: failureSchema.exactOptional(),
    score: scoreSchema.exactOptional(),
    claims: z.object({ total: count, decided: count, matched: count }).exactOptional(),
    usage: usageSchema.exactOptional(),
    estimatedCostUSD: z.number().nonnegative().exactOptional(),
    changedPaths: count.exactOptional(),
    resources: z.object({ cpuSeconds: z.number().nonnegative().exactOptional(), peakMemoryBytes: count.exactOptional() }).exactOptional(),
    startedAt: z.string().exactOptional(),
    durationMs: z.number().exactOptional(),
    timedOut: z.boolean().exactOptional(),
    keptUntil: z.string().exactOptional(),
  })),
});
