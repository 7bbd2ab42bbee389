/** Words of the report. Pure functions. */
import type { Measured, Spread } from './measure.ts';
import type { Figures } from './pair.ts';

const milliseconds = (value: number): string =>
  value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);

const spread = ({ median, least, most }: Spread): string =>
  `${milliseconds(median)} ms (${milliseconds(least)}–${milliseconds(most)})`;

/** Ours by theirs: less than 1 means that steward is faster. */
const ratio = (ours: number, peer: number): string => (peer === 0 ? '–' : (ours / peer).toFixed(2));

const blockedAndPeak = ({ blocked, peak }: Figures): string => `loop ≤ ${blocked.toFixed(0)} ms, peak ${peak.toFixed(0)} MB`;

/** One comparison for a terminal. `load`: the machine's load average when it was over. */
export function plainText(measured: Measured, load: string): string {
  const { line, note, ours, peers, figures, why, rounds, told } = measured;
  if (told !== undefined)
    return [`${line}${note === '' ? '' : `: ${note}`} (load ${load})`, ...told.map((one) => `  ${one}`), ''].join('\n');
  if (why !== undefined) return `${line}: not measured: ${why}\n`;
  const rows = [
    `${line}${note === '' ? '' : `: ${note}`} (${rounds} rounds, load ${load})`,
    `  ${ours.name}: ${spread(ours)}, processor ${ours.processor.toFixed(0)} ms`,
    ...peers.map(
      (peer) =>
        `  ${peer.name}: ${spread(peer)}, processor ${peer.processor.toFixed(0)} ms: ` +
        `ratio ${ratio(ours.median, peer.median)}, of processor time ${ratio(ours.processor, peer.processor)}`,
    ),
  ];
  if (figures !== undefined) {
    const { 'steward-frontend': frontend, 'steward-broker': broker } = figures;
    rows.push(`  frontend: ${blockedAndPeak(frontend)}; broker: ${blockedAndPeak(broker)}`);
  }
  return `${rows.join('\n')}\n`;
}

export function markdownHead(): string {
  return (
    '| Line | steward, ms | compared with | ms | ratio | processor | loop: frontend, broker | peak: frontend, broker |\n' +
    '|---|---|---|---|---|---|---|---|'
  );
}

/** One row for every peer. */
export function markdownRows({ line, note, ours, peers, figures, why, told }: Measured): string {
  const name = note === '' ? line : `${line}: ${note}`;
  if (told !== undefined) return told.map((one) => `| ${name} | ${one} | | | | | | |`).join('\n');
  if (why !== undefined) return `| ${line} | | not measured: ${why} | | | | | |`;
  const frontend = figures?.['steward-frontend'];
  const broker = figures?.['steward-broker'];
  const both = (value: (of: Figures) => string): string =>
    frontend === undefined || broker === undefined ? '' : `${value(frontend)}, ${value(broker)}`;
  const loops = both(({ blocked }) => `${blocked.toFixed(0)} ms`);
  const peaks = both(({ peak }) => `${peak.toFixed(0)} MB`);
  const row = (peer: Spread): string =>
    `| ${name} | ${spread(ours)} | \`${peer.name}\` | ${spread(peer)} | ${ratio(ours.median, peer.median)} | ` +
    `${ours.processor.toFixed(0)} / ${peer.processor.toFixed(0)} ms | ${loops} | ${peaks} |`;
  return peers.map(row).join('\n');
}
