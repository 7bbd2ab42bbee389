/** Ports of loopback for what tests and benchmarks start. */
import { createServer } from 'node:net';

/** Below the ports that the kernel gives out by itself (ip(7), ip_local_port_range); some for each test process. */
const PORTS = { first: 12_000, ofOne: 100, processes: 200 } as const;
let ports = 0;

/** A port of loopback that was free a moment ago, and that no test beside this one asks for meanwhile. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.ofOne; tries += 1) {
    const port = PORTS.first + (process.pid % PORTS.processes) * PORTS.ofOne + (ports++ % PORTS.ofOne);
    const server = createServer();
    const free = await new Promise<boolean>((done) => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
  throw new Error('no free port');
}
