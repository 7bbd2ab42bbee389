/** One line for several daemons: labels, documents, the highest exit code, groups. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startDouble, text, TOKEN, type Double } from '../testing/double.ts';
import { EXIT, interrupted } from '../exit.ts';
import { eventually } from '../testing/eventually.ts';
import { runLine, type Ran } from '../testing/terminal.ts';

const home = mkdtempSync(join(tmpdir(), 'stewardctl-several-'));
let doubles: Double[];

function contexts(extra = ''): void {
  const entries = doubles.map(
    ({ url, fingerprint }, at) => `  ${'ab'[at] ?? ''}: {server: "${url}", fingerprint: "${fingerprint}", token_file: token}\n`,
  );
  const down = `  down: {server: "https://127.0.0.1:1", fingerprint: "${'0'.repeat(64)}", token_file: token}\n`;
  writeFileSync(
    join(home, '.config/steward/config.yaml'),
    `contexts:\n${entries.join('')}${down}groups:\n  both: [a, b]\n${extra}`,
    {
      mode: 0o600,
    },
  );
}

before(async () => {
  const answering = (name: string): Promise<Double> =>
    startDouble({
      answers: {
        'tools/call': ({ arguments: args }) =>
          (args as { output_format?: string }).output_format === 'json'
            ? text(JSON.stringify({ host: name }))
            : text(`first of ${name}\nsecond\n`),
      },
    });
  doubles = [await answering('one'), await answering('two')];
  mkdirSync(join(home, '.config/steward'), { recursive: true });
  writeFileSync(join(home, '.config/steward/token'), TOKEN, { mode: 0o600 });
  contexts();
});
after(async () => {
  await Promise.all(doubles.map((double) => double.close()));
  rmSync(home, { recursive: true });
});

const run = (line: string, setting = {}): Promise<Ran> => runLine(line.split(' '), { env: { HOME: home }, ...setting });

test('text is labelled, in the order of the names', async () => {
  const expected = { exit: 0, out: 'b: first of two\nb: second\na: first of one\na: second\n', err: '' };
  assert.deepEqual(await run('--context b,a list files /'), expected);
  assert.deepEqual((await run('list files / --context both')).out, 'a: first of one\na: second\nb: first of two\nb: second\n');
  assert.equal((await run('--context a list files /')).out, 'first of one\nsecond\n', 'one is not labelled');
});

test('documents stand under the name of their context', async () => {
  assert.deepEqual(JSON.parse((await run('--context a,b list files / -o json')).out), { a: { host: 'one' }, b: { host: 'two' } });
  assert.equal((await run('-o yaml --context a,b list files /')).out, 'a:\n  host: one\nb:\n  host: two\n');
});

test('the exit code is the highest, and one that is down does not hold up the others', async () => {
  const { exit, out, err } = await run('--all-contexts list files /');
  assert.equal(exit, 3);
  assert.match(out, /^a: first of one$/m);
  assert.match(err, /^down: stewardctl: cannot connect to [^\n]+\n$/);
});

test('names that are wrong, and commands that are about this host', async () => {
  assert.match((await run('--context a,bb list files /')).err, /no context named "bb".*did you mean b\?|both/);
  for (const line of ['--context a,nothing list files /', '--context a --all-contexts list files /', '--context a,b users list'])
    assert.equal((await run(line)).exit, 2, line);
  contexts('  a: [b]\n');
  assert.match((await run('--context a,b list files /')).err, /a is both a context and a group/);
  contexts();
});

test('watched: all of them again and again, one answer behind the other', async () => {
  const stop = new AbortController();
  const calls = (): number => doubles.flatMap(({ asked }) => asked).filter(({ method }) => method === 'tools/call').length;
  const before = calls();
  const running = run('--context a,b list files / --watch 0.1', { signal: stop.signal });
  await eventually(() => calls() >= before + 6);
  stop.abort(interrupted());
  const { exit, out } = await running;
  assert.equal(exit, EXIT.interrupted);
  const once = 'a: first of one\na: second\nb: first of two\nb: second\n';
  assert.ok(out.startsWith(once + once), out);
  const changing = await run('--context a,b create files /f x --watch');
  assert.deepEqual([changing.exit, changing.out], [EXIT.usage, '']);
});

test('standard input goes to all of them', async () => {
  await run('--context a,b create files /f --content -', { input: 'same' });
  for (const { asked } of doubles) {
    const { params } = asked.at(-1) ?? {};
    assert.deepEqual((params?.['arguments'] as { content?: string }).content, 'same');
  }
});
