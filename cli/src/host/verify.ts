/**
 * stewardctl verify: is this installation what was shipped, and does the pair run as it should? Reads as root and changes nothing
 * but a scratch area of its own; of the installed programs it runs one, the broker's, to print its table and to be attacked there, and
 * only when all of them are as they were shipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { readAccounts } from '@steward/shared/host/accounts.ts';
import { printed } from './allowlist.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { checkAttacks } from './verify-attacks.ts';
import { checkConfiguration, checkSecrets, loadOrReason } from './verify-config.ts';
import { PROGRAMS, type Finding, type Installation } from './verify-finding.ts';
import { checkListening } from './verify-listen.ts';
import { checkNothingElse, checkShipped, SUMS } from './verify-package.ts';
import { BROKER_UNIT, checkBroker, checkFrontend, FRONTEND_UNIT, shippedCommand } from './verify-pair.ts';
import { unitProcesses } from './verify-processes.ts';
import { checkAudit, checkTable } from './verify-record.ts';
import { INSTALLED } from '../context/config-dir.ts';
import { CliError, EXIT } from '../exit.ts';
import { painted } from '../render/colour.ts';
import { oneLine } from '../safety.ts';

const ROOT = '/';

/** Throws CliError with what to do where there is nothing that could be verified. */
function refuseElsewhere(configDir: string): void {
  if (!existsSync(SUMS)) {
    throw new CliError(
      EXIT.usage,
      'verify: the package is not installed here; apt install ./steward_VERSION_ARCH.deb, then try again',
    );
  }
  if (fileURLToPath(new URL('.', import.meta.url)) !== `${PROGRAMS}/`) {
    throw new CliError(EXIT.usage, 'verify: this is not the installed stewardctl; run /usr/bin/stewardctl verify');
  }
  // The shipped units name this directory; another one would be verified in its place.
  if (configDir !== INSTALLED) {
    throw new CliError(
      EXIT.usage,
      `verify: the pair is configured in ${INSTALLED}, not in ${configDir}; add --config-dir ${INSTALLED}`,
    );
  }
  if (process.geteuid?.() !== 0) throw new CliError(EXIT.usage, 'verify: only root sees all of it; run sudo stewardctl verify');
}

type Named = readonly [name: string, finding: Finding];

const NOT_RUN = 'programs that are not as they were shipped are not run';
const skipped = (why: string): Finding => ({ holds: '', wrong: [`not checked: ${why}`] });

/** Both processes, as the units confine them. `uid`: of the frontend's account. */
function pairFindings(uid: number | undefined): Named[] {
  const broker = unitProcesses(ROOT, BROKER_UNIT);
  const frontend = unitProcesses(ROOT, FRONTEND_UNIT);
  return [
    ['frontend', checkFrontend(frontend, uid, shippedCommand(ROOT, 'steward-frontend.service'))],
    ['broker', checkBroker(broker, shippedCommand(ROOT, 'steward-broker@.service'))],
    [
      'listening',
      checkListening(
        ROOT,
        broker.map(({ pid }) => pid),
      ),
    ],
  ];
}

async function tableFinding(shipped: Finding): Promise<Finding> {
  if (shipped.wrong.length > 0) return skipped(NOT_RUN);
  return checkTable(await printed(['--print-allowlist', '--json']), readFileSync(`${PROGRAMS}/frontend.js`, 'utf8'));
}

/** `uid`: of the frontend's account. */
async function attacksFinding(shipped: Finding, account: string, uid: number | undefined): Promise<Finding> {
  if (shipped.wrong.length > 0) return skipped(NOT_RUN);
  if (uid === undefined) return skipped(`there is no account ${account}`);
  const line = shippedCommand(ROOT, 'steward-broker@.service');
  return checkAttacks({ command: line.slice(0, line.indexOf('--config-dir')), peer: { account, uid } });
}

async function findings(configDir: string): Promise<Named[]> {
  const config: ConfigSnapshot | string = loadOrReason(configDir);
  const loaded = typeof config === 'string' ? undefined : config;
  const name = loaded?.daemon.broker.frontend_account ?? 'steward';
  const account = readAccounts(ROOT).user(name);
  const host: Installation = { root: ROOT, owner: 0, groups: account === undefined ? [0] : [0, account.gid] };
  const shipped = await checkShipped(host);
  const unknown = skipped('the configuration does not load');
  return [
    ['package', shipped],
    ['package', checkNothingElse(host)],
    ['configuration', checkConfiguration(host, configDir, config)],
    ['secrets', loaded === undefined ? unknown : checkSecrets(host, loaded)],
    ...pairFindings(account?.uid),
    ['table', await tableFinding(shipped)],
    ['attacks', await attacksFinding(shipped, name, account?.uid)],
    ['audit', loaded === undefined ? unknown : await checkAudit(loaded.daemon.audit.directory)],
  ];
}

async function verify(call: HostCall): Promise<number> {
  takeWords(call, 'verify');
  refuseElsewhere(call.configDir);
  return report(call, await findings(call.configDir));
}

/** One line for each check that holds, one for each thing that is wrong, and how it ended. Returns the exit code. */
export function report({ out }: Pick<HostCall, 'out'>, found: readonly Named[]): number {
  for (const [name, { holds, wrong }] of found) {
    const [word, colour] = wrong.length === 0 ? (['PASS', 'green'] as const) : (['FAIL', 'red'] as const);
    for (const line of wrong.length === 0 ? [holds] : wrong)
      out.write(`${painted(out, colour, word)} ${oneLine(`${name}: ${line}`)}\n`);
  }
  const failed = found.filter(([, { wrong }]) => wrong.length > 0).length;
  out.write(failed === 0 ? `all ${found.length} checks hold\n` : `${failed} of ${found.length} checks failed\n`);
  return failed === 0 ? EXIT.done : EXIT.failed;
}

export const verifyCommands: readonly HostCommand[] = [
  {
    path: ['verify'],
    usage: '',
    summary: 'Verify that the installation is what was shipped and runs as it should',
    details: [
      'Compares programs and units with what the package brought, looks at owners and modes of configuration, keys, state and log, at what ' +
        'the kernel says about the two running processes, at the table of the installed broker, and verifies the audit log. Starts the ' +
        "broker's program on a scratch directory and tries what it must refuse. To be run as root.",
      'Prints a line PASS or FAIL for each finding. Exit status 0 when all hold, 1 when one does not, 2 where the package is not installed.',
    ],
    options: [],
    run: verify,
  },
];
