/** The text of users.yaml and grants.yaml as tests need them. Test only. */
import { createHash, randomBytes } from 'node:crypto';

/** One user for each name, with the token beside it. */
export function usersFile(tokens: ReadonlyMap<string, string>): string {
  const entries = [...tokens].map(([name, token]) => {
    const salt = randomBytes(16);
    const hash = createHash('sha256').update(salt).update(token).digest('hex');
    return `  - name: ${name}\n    tokens:\n      - id: test\n        salt: "${salt.toString('hex')}"\n        hash: "${hash}"\n`;
  });
  return `version: 1\nusers:\n${entries.join('')}`;
}

/** `grants`: YAML below `users:`, indented by two spaces. */
export function grantsFile(grants: string): string {
  return grants === '' ? 'version: 1\nusers: {}\n' : `version: 1\nusers:\n${grants}`;
}
