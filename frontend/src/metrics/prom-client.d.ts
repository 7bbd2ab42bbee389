/**
 * The parts of prom-client that are used, each from its own file: its index, and its metric of processor time, also load a tracing
 * library, which would be in the program that faces the network.
 */
declare module 'prom-client/lib/counter.js' {
  export { Counter as default } from 'prom-client';
}
declare module 'prom-client/lib/gauge.js' {
  export { Gauge as default } from 'prom-client';
}
declare module 'prom-client/lib/histogram.js' {
  export { Histogram as default } from 'prom-client';
}
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
declare module 'prom-client/lib/metrics/eventLoopLag.js' {
  import type { Registry } from 'prom-client';
  export default function collect(registry: Registry): void;
}
declare module 'prom-client/lib/metrics/osMemoryHeap.js' {
  import type { Registry } from 'prom-client';
  export default function collect(registry: Registry): void;
}
declare module 'prom-client/lib/metrics/processOpenFileDescriptors.js' {
  import type { Registry } from 'prom-client';
  export default function collect(registry: Registry): void;
}
declare module 'prom-client/lib/metrics/processStartTime.js' {
  import type { Registry } from 'prom-client';
  export default function collect(registry: Registry): void;
}
