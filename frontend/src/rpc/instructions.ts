/** What a model is told about this server once, before it sees the tools. */

export const INSTRUCTIONS = [
  'Administration of one Linux host. Tools run as an unprivileged account of that host by default and see what it may see.',
  'Tools that take "privileged" run as root when it is true; that needs a grant of the administrator, which may be limited to ' +
    'certain paths, units, devices or containers. A description that ends with "Root is granted to you." says that there is one. ' +
    'Try without privileged first; retry with privileged: true only when access was denied and root is granted.',
  'A refusal names what is missing (NOT_GRANTED, RESTRICTED): do not retry it in other words; tell the user which grant is missing.',
  'Tools that change something take dry_run: use it first when the effect is not certain. Everything done as root is recorded.',
  'output_format: json gives data instead of text where a tool takes it.',
].join('\n');
