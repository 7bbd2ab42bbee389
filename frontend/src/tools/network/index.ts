/** The network tools in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { arpTool } from './arp.ts';
import { connectionsTool } from './connections.ts';
import { curlTool } from './curl.ts';
import { nslookupTool } from './nslookup.ts';
import { pingTool } from './ping.ts';
import { tracePathTool } from './trace-path.ts';

export const NETWORK_TOOLS: readonly AnyTool[] = [nslookupTool, curlTool, arpTool, pingTool, connectionsTool, tracePathTool];
