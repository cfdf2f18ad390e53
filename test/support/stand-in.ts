/** A service in place of the gateway: answers every request on port 8787 with "here", and ends with its input. */
export const STAND_IN = `
import { createServer } from 'node:http';
createServer((_req, res) => res.end('here')).listen(8787, '0.0.0.0', () => console.log('ready'));
process.stdin.resume().on('end', () => process.exit(0));`;
