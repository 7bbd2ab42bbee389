/** Catalogue entry: words and text of auth/sudo-rules. */
import { authSudoRules } from '@steward/shared/ops/auth/sudo-rules.ts';
import { jsonText } from '../../render/json.ts';
import { tool } from '../tool.ts';

export const sudoRulesTool = tool({
  name: 'auth/sudo-rules',
  title: 'My root grants',
  description: 'Show your own root grants and their restrictions. Text or JSON. Grants are set in grants.yaml by the operator.',
  op: authSudoRules,
  formats: true,
  human: false,
  text: ({ result }) => ({
    text:
      result.Tools === undefined
        ? 'You have no privileged tools authorized in grants.yaml.'
        : `Your authorized privileged tools:\n${jsonText(result)}`,
  }),
});
