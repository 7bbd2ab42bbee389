/**
 * Installs the product in a booted system the way a package does and starts it under its own units. Test only.
 *
 * The bundles are copied to where the units expect them; the runtime, which is large, is mounted there from where the system has it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { type Inside, install, output } from './inside.ts';

/** The units, for the journal and for stopping. */
export const UNITS = ['steward-frontend.service', 'steward-broker.socket'];

/** Where distributions keep units, and where administrators do. */
const [SHIPPED, OWN] = ['/usr/lib/systemd/system', '/etc/systemd/system'];
/** As `.js` files of the bundles directory; what else is built belongs to a checkout. */
const LIBRARY = '/usr/lib/steward';

/** stewardctl as it is installed, on the installed configuration. */
export const STEWARDCTL = [`${LIBRARY}/node`, `${LIBRARY}/stewardctl.js`, '--config-dir', '/etc/steward'];

export interface UnitOptions {
  /** Drop-ins of the broker's template, by file name. */
  readonly dropIns?: Readonly<Record<string, string>>;
  /** Where bundles and runtime are mounted inside. */
  readonly opt: string;
}

const unit = (name: string): string => readFileSync(join(ROOT, 'systemd', name), 'utf8');

/** Copies programs and units and makes account and directories. To be done once in a system. */
export async function installUnits(inside: Inside, { opt, dropIns = {} }: UnitOptions): Promise<void> {
  const script = `set -e
    mkdir -p ${LIBRARY}
    cp ${opt}/steward/*.js ${opt}/steward/package.json ${LIBRARY}/
    test -e ${LIBRARY}/node || touch ${LIBRARY}/node
    mountpoint -q ${LIBRARY}/node || mount --bind ${opt}/runtime/node ${LIBRARY}/node`;
  await output(inside, 'sh', '-c', script);
  for (const name of readdirSync(join(ROOT, 'systemd')).filter((one) => /\.(service|socket|timer|path)$/.test(one)))
    await install(inside, `${SHIPPED}/${name}`, unit(name));
  for (const [name, text] of Object.entries(dropIns)) await install(inside, `${OWN}/steward-broker@.service.d/${name}`, text);
  await install(inside, '/usr/lib/sysusers.d/steward.conf', unit('sysusers.conf'));
  await install(inside, '/usr/lib/tmpfiles.d/steward.conf', unit('tmpfiles.conf'));
  await output(inside, 'systemd-sysusers', 'steward.conf');
  await output(inside, 'systemd-tmpfiles', '--create', 'steward.conf');
  await output(inside, 'systemctl', 'daemon-reload');
}

/** Starts the units; what is started already begins anew. */
export async function startUnits(inside: Inside): Promise<void> {
  await output(inside, 'systemctl', 'restart', ...UNITS);
}

/** Stops them all. */
export async function stopUnits(inside: Inside): Promise<void> {
  await inside.run(['systemctl', 'stop', ...UNITS]);
}
