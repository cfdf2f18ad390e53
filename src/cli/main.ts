#!/usr/bin/env node
import { createProgram } from './program.js';

// A reader that went away, as in `niceeval run | head`, must not end a run in the middle: the record is what counts.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const exitCode = await createProgram().run(process.argv.slice(2));
// A slow pipe takes all output first. What an author's own code left running, for instance a timer, is not waited for.
for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => { stream.write('', () => resolve()); });
process.exit(exitCode);
