/**
 * Connects and decides whether the other side is the daemon that was meant. Nothing is written to the connection before that:
 * the token is sent on sockets that this module handed out, and on no other.
 */
import { Agent as PlainAgent } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket, type ConnectionOptions } from 'node:tls';
import type { Duplex } from 'node:stream';
import { unreachable } from '../exit.ts';

/** How the server's certificate is judged. */
export type Trust =
  /** The certificates that Node trusts, and the name in the certificate. */
  | { readonly kind: 'system' }
  /** Only these certificates (PEM), and the name in the certificate. */
  | { readonly kind: 'ca'; readonly pem: string }
  /** Exactly the certificate with this SHA-256, as 64 hexadecimal digits in lower case; its names and dates do not matter. */
  | { readonly kind: 'fingerprint'; readonly sha256: string }
  | { readonly kind: 'none' };

const CONNECT_MS = 10_000;

/** A SHA-256 fingerprint as 64 lower-case digits, from any usual spelling; undefined when it is none. */
export function readFingerprint(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^sha-?256[:= ]/i, '')
    .replaceAll(':', '')
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined;
}

/** SHA-256 of the certificate that the other side proved to own, or undefined before the handshake has ended. */
export function fingerprintOf(socket: TLSSocket): string | undefined {
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
  return fingerprint === undefined ? undefined : readFingerprint(fingerprint);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused - is the daemon running there?',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name cannot be resolved',
  ETIMEDOUT: 'no answer',
  EPROTO: 'the server does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is made out to another name: use that one, or give --fingerprint',
  CERT_HAS_EXPIRED: 'its certificate has expired: on its host `stewardctl cert renew` makes another',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not the trusted one: give --ca-file or --fingerprint',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not the trusted one: give --ca-file or --fingerprint',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not the trusted one: give --ca-file or --fingerprint',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not the trusted one: give --ca-file or --fingerprint',
};

const REPINNED = 'if it was renewed, `stewardctl login URL` pins the new one';

/** A connection that failed, in words (exit code 3). */
export function connectionError(url: URL, error: unknown): Error {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const reason = (code === undefined ? undefined : WORDS[code]) ?? (error instanceof Error ? error.message : String(error));
  return unreachable(`cannot connect to ${url.origin}: ${reason}`);
}

function tlsOptions(url: URL, host: string, port: number, trust: Trust): ConnectionOptions {
  return {
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    // A pinned certificate is compared below, in place of the chain and the name.
    rejectUnauthorized: trust.kind === 'system' || trust.kind === 'ca',
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(trust.kind === 'ca' ? { ca: trust.pem } : {}),
  };
}

/**
 * Opens one connection and judges the certificate. Rejects with exit code 3; the socket is destroyed then.
 *
 * @param url `https:`, or `http:` for a daemon on loopback that was configured without TLS
 */
export function connectTrusted(url: URL, trust: Trust): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return new Promise((done, fail) => {
    const socket = secure ? connectTls(tlsOptions(url, host, port, trust)) : connectPlain({ host, port });
    const refuse = (error: Error): void => {
      socket.destroy();
      fail(error);
    };
    const failed = (error: Error): void => refuse(connectionError(url, error));
    const late = setTimeout(
      () => refuse(unreachable(`cannot connect to ${url.origin}: no answer in ${CONNECT_MS / 1000} seconds`)),
      CONNECT_MS,
    );
    socket.once('close', () => clearTimeout(late));
    socket.once('error', failed);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      if (trust.kind === 'fingerprint') {
        const shown = secure ? fingerprintOf(socket as TLSSocket) : undefined;
        if (shown !== trust.sha256) {
          refuse(
            unreachable(
              `cannot connect to ${url.origin}: its certificate has another fingerprint (${shown ?? 'none'}): ${REPINNED}`,
            ),
          );
          return;
        }
      }
      socket.removeListener('error', failed);
      done(socket);
    });
  });
}

/** What a server says about itself with its certificate. */
export interface ShownCertificate {
  readonly sha256: string;
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo: string;
}

/** Looks at the certificate without believing it: nothing is sent. Rejects with exit code 3. */
export async function shownCertificate(url: URL): Promise<ShownCertificate> {
  const socket = await connectTrusted(url, { kind: 'none' });
  // Asked for once only: a second time there is none.
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  socket.destroy();
  const sha256 = certificate === undefined ? undefined : readFingerprint(certificate.fingerprint256);
  if (certificate === undefined || sha256 === undefined) throw unreachable(`${url.origin} shows no certificate`);
  const { subject, validFrom, validTo } = certificate;
  return { sha256, subject, validFrom, validTo };
}

type Created = (error: Error | null, stream: Duplex) => void;

/** An agent whose sockets have all been judged: one for the stream, one for the requests. */
export function trustedAgent(url: URL, trust: Trust): Agent | PlainAgent {
  const settings: AgentOptions = { keepAlive: true, maxSockets: 2 };
  const agent = url.protocol === 'https:' ? new Agent(settings) : new PlainAgent(settings);
  agent.createConnection = (_options: unknown, created?: Created): undefined => {
    connectTrusted(url, trust).then(
      (socket) => created?.(null, socket),
      // Node's own type wants a socket beside the error; there is none.
      (error: unknown) => (created as ((error: unknown) => void) | undefined)?.(error),
    );
    return undefined;
  };
  return agent;
}
