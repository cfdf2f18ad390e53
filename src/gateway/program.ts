import { parseArgs } from 'node:util';
import { runProgram } from './run-program.js';

// The entry of the gateway container, and of the local gateway process. It is the only module here that acts when it is loaded.
const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '0.0.0.0' },
    port: { type: 'string', default: '8787' },
  },
});

// As PID 1 of a container it gets no default handling of signals. Ctrl-C reaches a local gateway together with its host, which
// still needs it to close sessions and then ends it by ending stdin.
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => {});
// The host is gone, so nobody is left to serve.
process.stdout.on('error', () => process.exit(0));

try {
  await runProgram({
    stdin: process.stdin,
    stdout: process.stdout,
    host: values.host,
    port: Number(values.port),
    onFault: (fault) => console.error(fault),
  });
  process.stdout.write('', () => process.exit(0));
} catch (error) {
  console.error(error);
  process.stdout.write('', () => process.exit(1));
}
