#!/usr/bin/env node
import { createProgram } from './program.js';

// Each command answers with its exit code; setting it, not exiting, lets slow pipes take all output first.
process.exitCode = await createProgram().run(process.argv.slice(2));
