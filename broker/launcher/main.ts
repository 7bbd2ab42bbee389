/**
 * Starts the pair where systemd does not: a checkout, a container. Root runs this. It does what the socket unit would do: it
 * listens on a socket that only the frontend has a way to, starts the frontend without any right, and gives each of its
 * connections, one at a time, to a new broker as descriptor 0. It reads nothing from its children.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, openSync } from 'node:fs';
import { type Socket, createServer } from 'node:net';
import { type Ended, type Inherited, closeInherited, passHangup, startChild } from './child.ts';
import { type Command, brokerCommand, certsCommand, frontendCommand, handedOver } from './commands.ts';
import { privateDirectory } from './directory.ts';
import { UsageError, launchOptions } from './options.ts';

/** A frontend that lived shorter died early; after that many early deaths in a row the launcher gives up. */
const [EARLY_MS, EARLY_DEATHS, FIRST_DELAY_MS] = [5000, 5, 250];
/** From SIGTERM to SIGKILL: both are gone within five seconds. */
const KILL_AFTER_MS = 4000;

process.once('uncaughtException', (error) => {
  console.error(`launcher: ${error.message}`);
  process.exit(error instanceof UsageError ? 2 : 1);
});
closeInherited();
const options = launchOptions(process.argv.slice(2));
// The title takes the place of the command line: by the directory stewardctl knows whose pair it is.
process.title = `steward-launcher --config-dir ${options.configDir}`;
const programs = handedOver(options).map((file) => openSync(file, 'r'));
const directory = privateDirectory(options.stateDir);
const children = new Map<string, ChildProcess>();
let waiting: Socket | undefined;
let brokers = 0;
let frontends = 0;
let earlyDeaths = 0;
let exitStatus: number | undefined;

for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => stop(0));
process.on('SIGUSR1', () => undefined); // Node would open a debugger on loopback, for every local user
process.on('SIGHUP', () => {
  const frontend = children.get('frontend');
  if (frontend !== undefined) passHangup(frontend);
});
start('certs', certsCommand(options), ['ignore'], (status) => (status === 0 ? nextBroker() : stop(2)));
const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, accept).listen(directory.socket, () => {
  chmodSync(directory.socket, 0o666);
  startFrontend();
});

function start(name: string, command: Command, inherited: Inherited, ended: Ended): void {
  const over = (status: number | null): void => {
    children.delete(name);
    if (exitStatus === undefined) ended(status);
    else exitIfAlone();
  };
  children.set(name, startChild(command, inherited, over));
}

/** The frontend leaves when the pipe on its standard input ends: it does not survive a killed launcher. */
function startFrontend(): void {
  if (exitStatus !== undefined) return;
  frontends += 1;
  const began = performance.now();
  start('frontend', frontendCommand(options), ['pipe', directory.fd, ...programs], (status) => {
    const isEarly = performance.now() - began < EARLY_MS;
    earlyDeaths = isEarly ? earlyDeaths + 1 : 0;
    // What the first one cannot begin with (a port in use) is for a person to mend.
    const isRefusal = status === 2 || (status === 1 && frontends === 1 && isEarly);
    if (isRefusal || earlyDeaths === EARLY_DEATHS) return stop(status || 1);
    console.error(`launcher: the frontend ended (${status ?? 'killed'}) and is started again`);
    setTimeout(startFrontend, earlyDeaths === 0 ? 0 : FIRST_DELAY_MS * 2 ** (earlyDeaths - 1));
  });
}

/** One connection waits while the broker of the one before it ends; a further one is closed. */
function accept(connection: Socket): void {
  connection.on('error', () => connection.destroy());
  if (waiting !== undefined || exitStatus !== undefined) return void connection.destroy();
  waiting = connection;
  nextBroker();
}

function nextBroker(): void {
  if (waiting === undefined || children.has('broker') || children.has('certs')) return;
  const connection = waiting;
  waiting = undefined;
  brokers += 1;
  const began = performance.now();
  start('broker', brokerCommand(options), [connection], (status) => {
    // What the first one refuses at its start is for a person to mend; later the frontend tries again.
    const isRefusal = status === 2 || status === 77 || (status === 1 && performance.now() - began < EARLY_MS);
    if (brokers === 1 && isRefusal) return stop(status);
    nextBroker();
  });
  connection.destroy();
}

/** Ends both processes, then this one. The broker leaves by itself when its connection is over. */
function stop(status: number): void {
  if (exitStatus !== undefined) return;
  exitStatus = status;
  server.close();
  waiting?.destroy();
  for (const name of ['certs', 'frontend']) children.get(name)?.kill('SIGTERM');
  setTimeout(() => children.forEach((child) => process.kill(-(child.pid ?? process.pid), 'SIGKILL')), KILL_AFTER_MS);
  exitIfAlone();
}

function exitIfAlone(): void {
  if (children.size > 0) return;
  directory.remove();
  process.exit(exitStatus);
}
