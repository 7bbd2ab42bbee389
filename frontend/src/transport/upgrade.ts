/**
 * A request that asks for another protocol, as an exchange like any other: whoever refuses it answers by HTTP, and the connection
 * ends with that answer.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { newExchange, type Exchange } from './exchange.ts';

export function upgradeExchange(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  recognised: Exchange['recognised'],
): Exchange {
  const ignore = (): void => undefined; // a connection that breaks now concerns nobody else
  socket.on('error', ignore);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  const takeSocket: Exchange['takeSocket'] = () => {
    if (socket.destroyed || response.headersSent) return undefined;
    response.detachSocket(socket);
    response.statusCode = 101;
    socket.off('error', ignore);
    return { socket, head };
  };
  return newExchange(request, response, { recognised, expectsContinue: false, takeSocket });
}
