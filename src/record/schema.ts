import { z } from 'zod';
import { claimSchema } from '../assert/claim.js';
import { evidenceCoverageSchema } from '../evidence/coverage.js';
import { streamEventSchema } from '../evidence/events.js';
import { workspaceChangesSchema } from '../evidence/file-changes.js';
import { integrityReportSchema } from '../evidence/integrity.js';
import { jsonValueSchema } from '../evidence/json.js';
import { contextFillSchema } from '../evidence/turn.js';
import { usageSchema } from '../evidence/usage.js';
import { scoreSchema, verdictCauseSchema, verdictSchema } from '../verdict/verdict.js';

/** An empty file of this name, written last, says that the folder of a run or an Attempt is whole. */
export const MARKER = 'complete';

/** The versions that this package writes, each file its own. A reader takes unknown fields as they come. */
export const SCHEMA_VERSIONS = { run: 2, attempt: 1, claims: 1, changes: 1 } as const;

const head = <F extends keyof typeof SCHEMA_VERSIONS>(file: F) => ({ format: z.literal(`niceeval.${file}` as const), schemaVersion: z.literal(SCHEMA_VERSIONS[file]) });
const count = z.number().int().nonnegative();
const networkAccessSchema = z.union([z.string(), z.object({ allow: z.array(z.string()) })]);

const failureSchema = z.object({ kind: z.string(), infrastructure: z.boolean() });

export const attemptFileSchema = z.object({
  ...head('attempt'),
  id: z.string(),
  evalId: z.string(),
  experimentId: z.string(),
  index: z.number().int().positive(),
  agent: z.string(),
  model: z.string().exactOptional(),
  reasoningEffort: z.string().exactOptional(),
  identity: z.string().exactOptional(),
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
  retries: z.array(z.object({
    id: z.string(), kind: z.string(), reason: z.string(), message: z.string(), durationMs: z.number(), usage: usageSchema, estimatedCostUSD: z.number().nonnegative().exactOptional(),
  })).exactOptional(),
  skipped: z.string().exactOptional(),
  stopped: z.object({ reason: z.string(), detail: z.string() }).exactOptional(),
  turns: z.array(z.object({
    session: z.number().int().positive(),
    turn: z.number().int().positive(),
    label: z.string(),
    status: z.enum(['completed', 'failed', 'waiting']),
    coverage: evidenceCoverageSchema,
    usage: usageSchema.exactOptional(),
    context: contextFillSchema.exactOptional(),
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
  gateway: z.object({
    requests: count,
    usage: usageSchema,
    windows: z.array(z.object({
      label: z.string(),
      requests: count,
      retries: count.exactOptional(),
      faulted: count.exactOptional(),
      usage: usageSchema,
      firstByteMs: z.object({ median: z.number(), most: z.number() }).exactOptional(),
      durationMs: z.object({ median: z.number(), most: z.number() }).exactOptional(),
      agents: z.array(z.object({ agent: z.string(), requests: count, usage: usageSchema })).exactOptional(),
      applied: z.array(z.string()).exactOptional(),
    })).exactOptional(),
  }).exactOptional(),
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
  // How many bytes each file beside it has. Records without it have no marker either: their attempt.json came last.
  files: z.record(z.string(), count).exactOptional(),
});

export const claimsFileSchema = z.object({ ...head('claims'), claims: z.array(claimSchema) });

export const changesFileSchema = z.object({ ...head('changes'), changes: workspaceChangesSchema, leftOutOfPatch: z.array(z.object({ path: z.string(), reason: z.string() })).exactOptional() });

/** One line of `events.jsonl`. */
export const eventLineSchema = z.object({ session: z.number().int(), turn: z.number().int(), event: streamEventSchema });

const plannedSchema = z.object({ id: z.string(), evalId: z.string(), experimentId: z.string(), index: z.number() });

const originSchema = z.object({ runId: z.string(), attemptId: z.string() });

// Records of before there were summaries have only ids and verdict.
const summarySchema = plannedSchema.extend({
  verdict: verdictSchema,
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  identity: z.string().exactOptional(),
  failure: failureSchema.exactOptional(),
  score: scoreSchema.exactOptional(),
  claims: z.object({ total: count, decided: count, matched: count }).exactOptional(),
  usage: usageSchema.exactOptional(),
  usageIncomplete: z.literal(true).exactOptional(),
  estimatedCostUSD: z.number().nonnegative().exactOptional(),
  changedPaths: count.exactOptional(),
  resources: z.object({ cpuSeconds: z.number().nonnegative().exactOptional(), peakMemoryBytes: count.exactOptional() }).exactOptional(),
  startedAt: z.string().exactOptional(),
  durationMs: z.number().exactOptional(),
  timedOut: z.boolean().exactOptional(),
  keptUntil: z.string().exactOptional(),
  retries: z.array(z.string()).exactOptional(),
  retriesCostUSD: z.number().nonnegative().exactOptional(),
  reusedFrom: originSchema.exactOptional(),
  regradedFrom: originSchema.exactOptional(),
});

const notRunSchema = plannedSchema.extend({ reason: z.string(), detail: z.string() });

const runFacts = { ...head('run'), runId: z.string(), sandbox: z.string().exactOptional(), startedAt: z.string(), planned: z.array(plannedSchema), regradedFrom: z.string().exactOptional() };
const endFacts = {
  // Runs of version 1 have no marker: their file came when all had ended.
  sealedBy: z.enum(['marker', 'run-file']),
  durationMs: z.number(),
  interrupted: z.boolean(),
  counts: z.object({ total: count, passed: count, failed: count, errored: count, skipped: count, infrastructure: count.exactOptional() }),
};

export const runFileSchema = z.discriminatedUnion('state', [
  // What it takes from other runs is known from the beginning.
  z.object({ ...runFacts, state: z.literal('running'), reused: z.array(summarySchema).default([]) }),
  z.object({ ...runFacts, ...endFacts, state: z.literal('ended'), attempts: z.array(summarySchema), notRun: z.array(notRunSchema).default([]) }),
]);

/** A run without what its Attempts came to, for looking over many of them. */
export const runHeadSchema = z.discriminatedUnion('state', [
  z.object({ ...runFacts, state: z.literal('running'), planned: z.array(z.unknown()) }),
  z.object({ ...runFacts, ...endFacts, state: z.literal('ended'), planned: z.array(z.unknown()) }),
]);

/** What `run.json` holds. */
export type RunFile = z.infer<typeof runFileSchema>;

/** What `attempt.json` holds. */
export type AttemptFile = z.infer<typeof attemptFileSchema>;

/** What `changes.json` holds. */
export type ChangesFile = z.infer<typeof changesFileSchema>;

/** What one line of `events.jsonl` holds. */
export type EventLine = z.infer<typeof eventLineSchema>;
