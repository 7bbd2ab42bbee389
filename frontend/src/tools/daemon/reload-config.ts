/** Catalogue entry: words and text of daemon/reload-config. */
import { daemonReloadConfig } from '@steward/shared/ops/daemon/reload-config.ts';
import { reloadText } from '../../render/reload.ts';
import { tool } from '../tool.ts';

export const reloadConfigTool = tool({
  name: 'daemon/reload-config',
  title: 'Reload steward config',
  description:
    'Re-read daemon.yaml, users.yaml and grants.yaml and apply them without a restart; reports the changes. Needs a grant.',
  op: daemonReloadConfig,
  formats: false,
  human: false,
  // A read-only daemon keeps this one: it may be the way out of being read-only.
  changes: () => false,
  text: ({ result }, { args }) => ({ text: reloadText(result, args.dry_run === true) }),
});
