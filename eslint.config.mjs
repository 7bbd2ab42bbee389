/**
 * Lint rules: what the compiler does not see. Type-aware where a mistake is costly (promises that nobody waits for), import rules
 * that keep the two processes apart, and rules against calls that are wrong or dangerous where root runs.
 */
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Calls and constructs that no part of the project may use. */
const EVERYWHERE = [
  {
    selector: 'CallExpression[callee.property.name=/^(lchown|fchmod|lutimes)(Sync)?$/]',
    message: 'Acts on the wrong object or not at all through /proc/self/fd: use chmod, chown or utimes on /proc/self/fd/N.',
  },
  {
    selector: 'CallExpression[callee.name=/^(lchown|fchmod|lutimes)(Sync)?$/]',
    message: 'Acts on the wrong object or not at all through /proc/self/fd: use chmod, chown or utimes on /proc/self/fd/N.',
  },
  {
    // In options of a call; an account's login shell is something else.
    selector:
      'CallExpression > ObjectExpression > Property[key.name="shell"]:not([value.type="MemberExpression"], [value.type="ObjectExpression"])',
    message: 'No shell: give the program and its arguments.',
  },
  {
    selector: 'ImportSpecifier[imported.name=/^exec(Sync)?$/]',
    message: 'exec runs a shell: use spawn or execFile.',
  },
  {
    selector: 'CallExpression[callee.object.name="Uint8Array"][callee.property.name="from"]',
    message: 'Copies byte by byte under --frozen-intrinsics (14 ms for 64 KiB): new Uint8Array(bytes) copies at once.',
  },
  { selector: 'TSEnumDeclaration, TSModuleDeclaration:not([declare=true])', message: 'Only syntax that can be erased.' },
];

/** import() is not seen by no-restricted-imports. */
const FOREIGN_DYNAMIC = [
  {
    selector: 'ImportExpression > Literal[value=/^(?!node:|\\.|@steward\\/shared\\/)/]',
    message: 'The root side holds no package that is loaded later.',
  },
];
const COMPUTED_DYNAMIC = [
  { selector: 'ImportExpression[source.type!="Literal"]', message: 'Name the module: what is loaded must be seen when reading.' },
];

/** Static imports of one folder. */
const imports = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });
const NOT_CLIENT_SIDE = { regex: '(^|/)(frontend|cli|certs)(/|$)', message: 'The root side does not know the others.' };
const NOT_BROKER = { regex: '(^|/)broker/src/|^@steward/broker(/|$)', message: 'Only over the socket.' };
const ONLY = (names, who) => ({
  regex: `^(?!node:|\\.{1,2}/|@steward/shared/${names.map((name) => `|${name}$`).join('')})`,
  message: `${who} imports only node:, its own files, shared${names.length > 0 ? ` and ${names.join(', ')}` : ''}.`,
});
/** A path that climbs out of a workspace's src into another workspace. */
const OTHER_WORKSPACE = {
  regex: '(^|/)\\.\\./(shared|broker|frontend|cli|certs)/src/',
  message: 'Across workspaces: @steward/shared/... only.',
};

const PRODUCT = [
  'shared/src/**/*.ts',
  'broker/{src,launcher,rotate}/**/*.ts',
  'frontend/src/**/*.ts',
  'cli/src/**/*.ts',
  'certs/src/**/*.ts',
];
const TESTS = ['**/*.test.ts', 'test/**/*.ts'];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'shared/src/generated/', '.run*/', '**/node_modules/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNullish: false },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // What Static makes of a schema without properties.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // Spreading a string is how this project comes to code points.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // The sources are checked with noPropertyAccessFromIndexSignature: what is bracketed there is meant.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    rules: {
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-restricted-syntax': ['error', ...EVERYWHERE],
    },
  },
  { files: PRODUCT, rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...COMPUTED_DYNAMIC] } },
  {
    files: ['shared/src/**/*.ts', 'broker/{src,launcher,rotate}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...COMPUTED_DYNAMIC, ...FOREIGN_DYNAMIC] },
  },
  {
    files: ['shared/src/**/*.ts'],
    rules: imports(NOT_CLIENT_SIDE, NOT_BROKER, OTHER_WORKSPACE, ONLY(['tweetnacl', 'yaml', 'typebox'], 'shared')),
  },
  {
    // Bundled on its own, so that no other part of the broker holds the package.
    files: ['shared/src/engine/transport.ts'],
    rules: imports(NOT_CLIENT_SIDE, NOT_BROKER, OTHER_WORKSPACE, ONLY(['dockerode'], 'the way to the container engine')),
  },
  {
    files: ['broker/{src,launcher,rotate}/**/*.ts'],
    rules: imports(NOT_CLIENT_SIDE, OTHER_WORKSPACE, ONLY(['tweetnacl', 'yaml'], 'broker')),
  },
  { files: ['frontend/src/**/*.ts'], rules: imports(NOT_BROKER, OTHER_WORKSPACE) },
  { files: ['certs/src/**/*.ts'], rules: imports(NOT_BROKER, OTHER_WORKSPACE) },
  {
    files: TESTS,
    rules: {
      // A test may hold what the product may not, to show that it is refused.
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  { files: ['bench/**/*.js'], languageOptions: { globals: { process: 'readonly' } } },
  { files: ['stubs/**/*.cjs'], languageOptions: { globals: { module: 'writable' } } },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
  },
);
