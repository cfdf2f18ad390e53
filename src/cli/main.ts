#!/usr/bin/env node
import { createProgram } from './program.js';

// A reader that went away, as in `niceeval run | head`, must not end a run in the middle: the record is what counts.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Each command answers with its exit code; setting it, not exiting, lets slow pipes take all output first.
process.exitCode = await createProgram().run(process.argv.slice(2));
